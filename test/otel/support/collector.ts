/** A collector: takes OTLP over HTTP, metrics at paths that name them and traces at all others. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { accepted } from './messages.ts';
import { type CollectedExport, readMetrics } from './read-metrics.ts';
import { type CollectedSpan, readSpans } from './read-spans.ts';

export interface Collector {
  /** What OTEL_EXPORTER_OTLP_ENDPOINT takes. */
  readonly url: string;
  /** All that came so far. */
  readonly spans: readonly CollectedSpan[];
  readonly exports: readonly CollectedExport[];
  /** The bodies as they came. */
  readonly bodies: readonly Buffer[];
  readonly requests: readonly { readonly path: string; readonly headers: unknown }[];
  /** What it responds from now on. */
  respond(status: number): void;
  close(): Promise<void>;
}

/** @param status what it responds; 200 when absent. */
export async function openCollector(status = 200): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const exports: CollectedExport[] = [];
  const bodies: Buffer[] = [];
  const requests: { path: string; headers: unknown }[] = [];
  let response = status;
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    const body = incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    const path = incoming.url ?? '';
    bodies.push(body);
    requests.push({ path, headers: incoming.headers });
    if (path.includes('metrics')) exports.push(...readMetrics(body));
    else spans.push(...readSpans(body));
    outgoing.writeHead(response, { 'content-type': 'application/x-protobuf' });
    outgoing.end(accepted);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    exports,
    bodies,
    requests,
    respond(next) {
      response = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
