/**
 * A bare node:http server that passes each request on to the engine over connections that it keeps, and returns the response once
 * it is whole: what any service pays that stands in front of the engine. Prints its port.
 */
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

const engine = new URL(process.env.ENGINE_URL ?? '');
const agent = new Agent({ keepAlive: true });

const server = createServer(async (incoming, outgoing) => {
  const { method, url: path, headers } = incoming;
  const body = await buffer(incoming);
  const { hostname, port } = engine;
  const passed = request({ hostname, port, path, method, headers, agent }, async (response) => {
    const rows = await buffer(response);
    const type = { 'content-type': response.headers['content-type'] };
    outgoing.writeHead(response.statusCode ?? 500, { ...type, 'content-length': rows.length });
    outgoing.end(rows);
  });
  passed.end(body);
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
