/**
 * A bare node:http server. Its standard input holds what it answers, one JSON object a line with the headers and the
 * body as Base64: the path /0 gets the first one, /1 the second. Prints its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const answers = (await text(process.stdin)).split('\n').map((line) => {
  const { headers, base64 } = JSON.parse(line) as {
    readonly headers: Readonly<Record<string, string>>;
    readonly base64: string;
  };
  const body = Buffer.from(base64, 'base64');
  return { body, headers: { ...headers, 'content-length': body.length } };
});

const server = createServer((request, response) => {
  const answer = answers[Number(request.url?.slice(1))];
  if (answer === undefined) return void response.writeHead(404).end();
  response.writeHead(200, answer.headers);
  response.end(answer.body);
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
