/** Bytes that an HTTP client would never send. */
import fc from 'fast-check';
import { exchangeBytes, NoResponse } from '../support/exchange.ts';
import { family } from '../support/family.ts';
import { judge } from '../support/judge.ts';
import type { World } from '../support/world.ts';

const requestLines = [
  'GET /healthz HTTP/1.1',
  'GET /healthz HTTP/1.0',
  'GET /healthz HTTP/0.9',
  'GET /healthz HTTP/2.0',
  'GET /healthz HTTP/9.9',
  'GET /healthz',
  'GET  /healthz  HTTP/1.1',
  'GET\t/healthz\tHTTP/1.1',
  'get /healthz HTTP/1.1',
  'Get /healthz HTTP/1.1',
  'HELLO /healthz HTTP/1.1',
  'TRACE /healthz HTTP/1.1',
  'CONNECT evil.example:443 HTTP/1.1',
  'CONNECT /graphql HTTP/1.1',
  'PRI * HTTP/2.0',
  'OPTIONS * HTTP/1.1',
  'GET http://querydock.test/healthz HTTP/1.1',
  'GET http://evil.example/healthz HTTP/1.1',
  'GET http://user:pass@evil.example/graphql?query={__typename} HTTP/1.1',
  'GET HTTP://querydock.test HTTP/1.1',
  'GET ftp://querydock.test/healthz HTTP/1.1',
  'GET healthz HTTP/1.1',
  'GET //healthz HTTP/1.1',
  'GET /healthz#fragment HTTP/1.1',
  'GET /he althz HTTP/1.1',
  'GET /\u0000 HTTP/1.1',
  'GET /\u00e9\u00ff HTTP/1.1',
  'GET /api/projects/1/endpoints/\u00e9/run HTTP/1.1',
  'GET /graphql?query={\u00e9} HTTP/1.1',
  'GET /\\..\\..\\etc HTTP/1.1',
  `GET /${'a'.repeat(15_000)} HTTP/1.1`,
  `GET /${'a'.repeat(80_000)} HTTP/1.1`,
  `${'A'.repeat(80_000)} / HTTP/1.1`,
  '',
  '\u0000',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'SSH-2.0-OpenSSH_9.0',
  '{"query":"{__typename}"}',
] as const;

const headerLines = [
  'Host: querydock.test',
  'Host: querydock.test',
  'Host: querydock.test',
  'Host : querydock.test',
  'Host: a\r\nHost: b',
  'Host:',
  'X: a\r\n b',
  'X: a\r\n\tb',
  ' X: leading',
  'X: a\nInjected: b',
  'X: a\rInjected: b',
  'X: a\u0000b',
  'X: \u007f',
  'X\u0000Y: b',
  'X Y: b',
  ': no name',
  'no colon',
  `X:${'y'.repeat(70_000)}`,
  'Content-Length: 5',
  'Content-Length: 05',
  'Content-Length: +5',
  'Content-Length: -5',
  'Content-Length: 5, 5',
  'Content-Length: 5, 6',
  'Content-Length: 0x5',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: 99999999999999999999',
  'Content-Length: 9007199254740993',
  'Content-Length: NaN',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding:\u000bchunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 5',
  'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  'Connection: close',
  'Connection: keep-alive',
  'Keep-Alive: timeout=99999999, max=99999999',
  'Expect: 100-continue',
  'Expect: 100-continue\r\nContent-Length: 99999999999',
  'Expect: nothing',
  'Content-Type: application/json',
  'Authorization: Bearer a\r\nAuthorization: Bearer b',
] as const;

const bodies = [
  '',
  'hello',
  '0\r\n\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  '5;ext=1\r\nhello\r\n0\r\nTrailer: x\r\n\r\n',
  `5;${'e'.repeat(40_000)}\r\nhello\r\n0\r\n\r\n`,
  'FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n',
  'fffffffe\r\nhello',
  '-5\r\nhello\r\n0\r\n\r\n',
  '0x5\r\nhello\r\n0\r\n\r\n',
  ' 5\r\nhello\r\n0\r\n\r\n',
  '5\nhello\n0\n\n',
  '5\r\nhelloX\r\n0\r\n\r\n',
  '5\r\nhel',
  '\r\n',
  'zz\r\n',
  '{"query":"{__typename}"}',
  'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
  '0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: smuggled\r\n\r\n',
] as const;

const bytes: fc.Arbitrary<Buffer> = fc
  .record({
    line: fc.oneof(
      fc.constantFrom(...requestLines),
      fc.constant('POST /graphql HTTP/1.1'),
      fc.constant('POST /api/projects/@current/endpoints/plain/run HTTP/1.1'),
    ),
    lines: fc.array(fc.constantFrom(...headerLines), { maxLength: 4 }),
    body: fc.constantFrom(...bodies),
    newline: fc.oneof(
      { weight: 8, arbitrary: fc.constant('\r\n') },
      fc.constantFrom('\n', '\r', '\r\r\n'),
    ),
    cut: fc.oneof({ weight: 5, arbitrary: fc.constant(1000) }, fc.nat({ max: 1000 })),
  })
  .map(({ line, lines, body, newline, cut }) => {
    const all = Buffer.from([line, ...lines, '', body].join(newline), 'latin1');
    return all.subarray(0, Math.ceil((all.length * cut) / 1000));
  });

/** Every request is answered or its connection closed; the next caller notices nothing. */
export const wires = family('broken wires', () => bytes, attempt);

export const randomBytes = family(
  'random bytes',
  () =>
    fc
      .tuple(
        fc.constantFrom(
          '',
          'GET ',
          'POST /graphql HTTP/1.1\r\n',
          'GET / HTTP/1.1\r\nHost: x\r\nX: ',
        ),
        fc.uint8Array({ maxLength: 200 }),
      )
      .map(([start, more]) => Buffer.concat([Buffer.from(start), Buffer.from(more)])),
  attempt,
);

async function attempt(world: World, sent: Buffer): Promise<void> {
  const options = { endsAfter: true, answers: 3 };
  const responses = await exchangeBytes(world.port, sent, options).catch((error: unknown) => {
    if (error instanceof NoResponse) return [];
    throw error;
  });
  for (const response of responses) judge(response, world.secrets);
}
