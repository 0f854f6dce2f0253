import { type Attributes, decodeTraces, type KeyValues, toRecord } from './messages.ts';

export interface CollectedSpan {
  readonly traceId: string;
  readonly id: string;
  /** Empty: it is the first of its trace. */
  readonly parentId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: string;
  readonly attributes: Attributes;
  /** Ids of spans. */
  readonly links: readonly string[];
  readonly isError: boolean;
  readonly message: string;
  readonly nanoseconds: bigint;
  readonly resource: Attributes;
}

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

interface SentSpans {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: KeyValues };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

export function readSpans(body: Buffer): readonly CollectedSpan[] {
  const { resourceSpans } = decodeTraces(body) as SentSpans;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap((scope) => scope.spans)
      .map((span) => toCollected(span, toRecord(resource.attributes))),
  );
}

function toCollected(span: SentSpan, resource: Attributes): CollectedSpan {
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
