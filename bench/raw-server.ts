/**
 * A bare node:http server. Standard input has its responses, one JSON object per line with the headers and the body as
 * Base64: the path /0 returns the first one, /1 the second. Prints its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const replies = (await text(process.stdin)).split('\n').map((line) => {
  const { headers, base64 } = JSON.parse(line) as {
    readonly headers: Readonly<Record<string, string>>;
    readonly base64: string;
  };
  const body = Buffer.from(base64, 'base64');
  return { body, headers: { ...headers, 'content-length': body.length } };
});

const server = createServer((request, response) => {
  const reply = replies[Number(request.url?.slice(1))];
  if (reply === undefined) return void response.writeHead(404).end();
  response.writeHead(200, reply.headers);
  response.end(reply.body);
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
