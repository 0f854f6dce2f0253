/** OTLP messages, read by what protobufjs generated from OpenTelemetry's own definitions. */
import { createRequire } from 'node:module';

interface Value {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number;
}

export type KeyValues = readonly { readonly key: string; readonly value: Value }[];

export type Attributes = Readonly<Record<string, unknown>>;

const { opentelemetry } = createRequire(import.meta.url)(
  'otlp-messages/build/src/generated/root.js',
);
const traces = opentelemetry.proto.collector.trace.v1;
const metrics = opentelemetry.proto.collector.metrics.v1;

const plain = { longs: String, enums: String, defaults: true, oneofs: true };

export function decodeTraces(body: Buffer): unknown {
  const { ExportTraceServiceRequest: message } = traces;
  return message.toObject(message.decode(body), { ...plain, oneofs: false });
}

export function decodeMetrics(body: Buffer): unknown {
  const { ExportMetricsServiceRequest: message } = metrics;
  return message.toObject(message.decode(body), plain);
}

/** The response to either: everything was accepted. */
export const accepted: Uint8Array = traces.ExportTraceServiceResponse.encode({}).finish();

export function toRecord(attributes: KeyValues): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, toValue(value)]));
}

function toValue({ stringValue, boolValue, intValue, doubleValue }: Value): unknown {
  return intValue === undefined ? (stringValue ?? boolValue ?? doubleValue) : Number(intValue);
}
