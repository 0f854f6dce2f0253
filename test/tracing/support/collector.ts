/** A collector of traces: takes OTLP over HTTP and reads it by the messages that protobufjs generated from OpenTelemetry's own definitions. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

interface Value {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number;
}

type KeyValues = readonly { readonly key: string; readonly value: Value }[];

interface SentSpan {
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  readonly parentSpanId: Buffer;
  readonly traceState: string;
  readonly name: string;
  readonly kind: string;
  readonly attributes: KeyValues;
  readonly links: readonly { readonly traceId: Buffer; readonly spanId: Buffer }[];
  readonly status: { readonly code: string; readonly message: string } | null;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

export interface CollectedSpan {
  readonly traceId: string;
  readonly id: string;
  /** Empty: it is the first of its trace. */
  readonly parentId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Ids of spans. */
  readonly links: readonly string[];
  readonly isError: boolean;
  readonly message: string;
  readonly nanoseconds: bigint;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface Collector {
  /** What OTEL_EXPORTER_OTLP_ENDPOINT takes. */
  readonly url: string;
  /** All that came so far. */
  readonly spans: readonly CollectedSpan[];
  /** The bodies as they came. */
  readonly bodies: readonly Buffer[];
  readonly requests: readonly { readonly path: string; readonly headers: unknown }[];
  close(): Promise<void>;
}

const { opentelemetry } = createRequire(import.meta.url)(
  'otlp-messages/build/src/generated/root.js',
);
const messages = opentelemetry.proto.collector.trace.v1;

/** @param status what it answers; 200 when absent. */
export async function openCollector(status = 200): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: Buffer[] = [];
  const requests: { path: string; headers: unknown }[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    const body = incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    bodies.push(body);
    requests.push({ path: incoming.url ?? '', headers: incoming.headers });
    spans.push(...readSpans(body));
    outgoing.writeHead(status, { 'content-type': 'application/x-protobuf' });
    outgoing.end(messages.ExportTraceServiceResponse.encode({}).finish());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface SentSpans {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: KeyValues };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

function readSpans(body: Buffer): readonly CollectedSpan[] {
  const { ExportTraceServiceRequest } = messages;
  const read = ExportTraceServiceRequest.toObject(ExportTraceServiceRequest.decode(body), {
    longs: String,
    enums: String,
    defaults: true,
  }) as SentSpans;
  return read.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap((scope) => scope.spans)
      .map((span) => toCollected(span, toRecord(resource.attributes))),
  );
}

function toCollected(span: SentSpan, resource: CollectedSpan['resource']): CollectedSpan {
  return {
    traceId: hex(span.traceId),
    id: hex(span.spanId),
    parentId: hex(span.parentSpanId),
    traceState: span.traceState,
    name: span.name,
    kind: span.kind,
    attributes: toRecord(span.attributes),
    links: span.links.map(({ spanId }) => hex(spanId)),
    isError: span.status?.code === 'STATUS_CODE_ERROR',
    message: span.status?.message ?? '',
    nanoseconds: BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano),
    resource,
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function toRecord(attributes: KeyValues): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, toValue(value)]));
}

function toValue({ stringValue, boolValue, intValue, doubleValue }: Value): unknown {
  return intValue === undefined ? (stringValue ?? boolValue ?? doubleValue) : Number(intValue);
}
