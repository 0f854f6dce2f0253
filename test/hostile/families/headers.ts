/** Headers: many, long, twice, and of values that nobody sends. */
import fc from 'fast-check';
import type { HeaderPair } from '../support/exchange.ts';
import { family } from '../support/family.ts';
import { bearer, json, noBody, type World } from '../support/world.ts';

const odd: Readonly<Record<string, readonly string[]>> = {
  Accept: [
    '',
    '*/*;q=2',
    'text/html',
    'text/event-stream',
    'multipart/mixed',
    'application/graphql-response+json;q=0',
    ';;;,,,',
    'a/b;c="\\"',
    `${'text/x,'.repeat(3000)}text/html`,
    'application/json;version=\u00e9',
  ],
  'Accept-Encoding': ['gzip;q=0', '*', 'br', 'identity;q=0, *;q=0', 'gzip, gzip', '\u0080', ''],
  'If-None-Match': ['*', 'W/"x"', '"', '""', '"a", "b', `${'"x", '.repeat(3000)}"y"`, 'W/', ','],
  'If-Modified-Since': ['yesterday', '-1', 'Sat, 29 Oct 99999 19:43:31 GMT'],
  Origin: ['null', 'http://evil.example', 'a b', 'javascript:1', '\u00ff', '', 'http://[::1'],
  Range: ['bytes=0-', 'bytes=-1', 'bytes=0-0,0-0,0-0', 'lines=1'],
  Expect: ['100-continue', '200-ok', 'x'.repeat(1000)],
  Upgrade: ['websocket', 'h2c', 'TLS/1.0', 'x, y'],
  Connection: ['close', 'close, upgrade', 'keep-alive', 'close, authorization', 'close, x\u00e9'],
  'Content-Type': [
    'application/json; charset=utf-16',
    'application/json;;;',
    'APPLICATION/JSON',
    'application/jsonx',
    'application/json, text/plain',
    'application/json-patch+json',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'text/plain',
    `application/json; x=${'y'.repeat(9000)}`,
    '\u00e9',
  ],
  'Content-Encoding': ['gzip', 'br', 'identity', ''],
  'X-Request-Id': ['', 'a b', '<script>', 'x'.repeat(5000), '\u00ff\u00fe', '../..', '$(id)'],
  'X-HTTP-Method-Override': ['DELETE', 'TRACE'],
  'X-Forwarded-For': ['127.0.0.1', '::1', 'x'.repeat(5000)],
  'X-Forwarded-Host': ['localhost', 'evil.example'],
  Forwarded: ['for=127.0.0.1;host=localhost;proto=http'],
  Cookie: ['__proto__=1; a', 'x='.repeat(3000)],
  'Access-Control-Request-Method': ['DELETE', 'x'.repeat(1000)],
  Trailer: ['Authorization', 'Content-Length'],
  TE: ['trailers', 'x'],
  __proto__: ['x'],
  constructor: ['x'],
  'Content-Length': ['0'],
};

/** Other keys than the one that is right. */
const keys: readonly string[] = [
  '',
  'Bearer',
  'Bearer ',
  'bearer x',
  'Basic dTpw',
  'Bearer null',
  'Bearer undefined',
  'Bearer \u00e9\u0080',
  `Bearer ${'x'.repeat(30_000)}`,
  'Bearer x, Bearer y',
  'Bearer qd_x\ty',
  'Negotiate',
];

const pair: fc.Arbitrary<HeaderPair> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .constantFrom(...Object.entries(odd))
      .chain(([name, values]) => fc.constantFrom(...values).map((value) => [name, value] as const)),
  },
  fc
    .tuple(fc.stringMatching(/^[!#$%&'*+.^_`|~0-9a-zA-Z-]{1,20}$/), latin1())
    .filter(([name]) => !/^(content-length|transfer-encoding|connection|host|expect)$/i.test(name)),
);

function latin1(): fc.Arbitrary<string> {
  return fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,60}$/);
}

const many: fc.Arbitrary<readonly HeaderPair[]> = fc.oneof(
  { weight: 12, arbitrary: fc.constant([]) },
  fc
    .constantFrom(100, 1999, 2500)
    .map((count) => Array.from({ length: count }, (_, at) => [`x-${at}`, '1'] as const)),
  fc.constantFrom(20_000, 70_000).map((length) => [['x-long', 'y'.repeat(length)] as const]),
  fc.constant(Array.from({ length: 1500 }, () => ['x-same', '1'] as const)),
);

const twice: fc.Arbitrary<readonly HeaderPair[]> = fc.oneof(
  { weight: 8, arbitrary: fc.constant([]) },
  fc.constantFrom<readonly HeaderPair[]>(
    [['Authorization', 'Bearer other']],
    [
      ['Host', 'a.example'],
      ['Host', 'b.example'],
    ],
    [['Host', 'user@evil.example:99999/x?y']],
    [['Host', '']],
    [['Content-Type', 'text/plain']],
    [['If-None-Match', '*']],
    [['X-Request-Id', 'second']],
    [
      ['Content-Length', '0'],
      ['Content-Length', '0'],
    ],
  ),
);

function calls(world: World) {
  const base = `/api/projects/${world.own.projectId}/endpoints`;
  return [
    ['GET', base, ''],
    ['GET', `${base}/plain/run`, ''],
    ['POST', `${base}/plain/run`, '{}'],
    ['POST', `${base}/last_execution_times`, '{"names":[]}'],
    ['PATCH', `${base}/victim`, '{"description":"x"}'],
    ['POST', '/graphql', '{"query":"{__typename}"}'],
    ['GET', '/graphql?query=%7B__typename%7D', ''],
    ['GET', '/graphql', ''],
    ['OPTIONS', `${base}/plain/run`, ''],
    ['OPTIONS', '/graphql', ''],
    ['GET', '/healthz', ''],
    ['GET', '/readyz', ''],
    ['GET', '/metrics', ''],
    ['GET', '/api/docs', ''],
    ['HEAD', '/api/openapi.json', ''],
    ['HEAD', `${base}/plain/run`, ''],
  ] as const;
}

export const headers = family(
  'headers',
  (world) =>
    fc.record({
      call: fc.constantFrom(...calls(world)),
      key: fc.oneof(
        { weight: 4, arbitrary: fc.constant(bearer(world.own.writeKey)) },
        fc.constantFrom(...keys).map((value) => ['Authorization', value] as const),
      ),
      pairs: fc.array(pair, { maxLength: 4 }),
      more: many,
      again: twice,
    }),
  async (world, { call: [method, target, body], key, pairs, more, again }) => {
    const all = [key, ...(body === '' ? [] : [json]), ...pairs, ...again, ...more];
    if (isAmbiguous(all, body)) return;
    await world.ask({
      method,
      target,
      headers: all,
      body: body === '' ? noBody : Buffer.from(body),
    });
  },
);

/** Two ways to tell a length, or a length that is not true, is for the family of broken wires. */
function isAmbiguous(all: readonly HeaderPair[], body: string): boolean {
  return body !== '' && all.some(([name]) => /^(transfer-encoding|content-length)$/i.test(name));
}
