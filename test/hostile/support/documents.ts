/** Requests with GraphQL documents, good ones and those that are none, for any place that takes them. */
import fc from 'fast-check';
import type { HeaderPair } from './exchange.ts';
import { deepJson, inheritedName, jsonFragment, objectText } from './texts.ts';
import { bearer, json, type World } from './world.ts';

const words = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '...',
  '@include(if: true)',
  '@skip(if: $v)',
  '@defer',
  '@stream(initialCount: 1)',
  '@deprecated',
  '@nothing',
  '$v',
  '$__proto__',
  ': ',
  '!',
  '=',
  '|',
  '&',
  '"',
  '"""',
  '#',
  '\u0000',
  '\ufeff',
  '\ud800',
  'null',
  '-0',
  '1e999',
  '9'.repeat(40),
  '"\\u0000"',
  '"\\ud800"',
  '"\\u{110000}"',
  'query',
  'mutation',
  'subscription',
  'fragment',
  'on',
  'schema',
  'type',
  'extend',
  '__typename',
  '__schema',
  '__type(name: "__proto__")',
  'constructor',
  '__proto__',
  'toString: id',
  '__proto__: id',
] as const;

/** Good documents, mutated ones, words in any order, and anything. */
export function documentsOf(
  good: readonly string[],
  ownWords: readonly string[],
): fc.Arbitrary<string> {
  const all = [...words, ...ownWords];
  return fc.oneof(
    { weight: 6, arbitrary: mutationsOf(good, all) },
    { weight: 2, arbitrary: fc.constantFrom(...good) },
    fc.array(fc.constantFrom(...all), { maxLength: 30 }).map((some) => some.join(' ')),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
}

/** A good document with words removed, doubled or moved. */
function mutationsOf(good: readonly string[], all: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom(...good),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.constantFrom(...all)), {
        minLength: 1,
        maxLength: 4,
      }),
    )
    .map(([document, edits]) => {
      const tokens = document.split(/(?<=[{}()\s,:])|(?=[{}()\s,:])/);
      for (const [place, kind, word] of edits) {
        const index = place % tokens.length;
        if (kind === 0) tokens.splice(index, 1);
        else if (kind === 1) tokens.splice(index, 0, tokens[index] ?? '');
        else if (kind === 2) tokens.splice(index, 1, ` ${word} `);
        else tokens.splice(index, 0, ` ${word} `);
      }
      return tokens.join('');
    });
}

export const times = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');

export const asText = (value: unknown) => JSON.stringify(value) ?? 'null';

export interface RequestBodies {
  readonly document: fc.Arbitrary<string>;
  /** As JSON: some that fit the good documents. */
  readonly variables: string;
  readonly operationName: string;
}

/** Bodies of POST, most of them JSON objects with the document. */
export function bodiesOf(of: RequestBodies): fc.Arbitrary<string> {
  const members = requestMembers(of);
  return fc.oneof(
    { weight: 8, arbitrary: members.map(objectText) },
    members.map((some) => `[${objectText(some)},${objectText(some)}]`),
    jsonFragment,
    deepJson,
  );
}

function requestMembers({
  document,
  variables,
  operationName,
}: RequestBodies): fc.Arbitrary<readonly (readonly [string, string])[]> {
  return fc
    .tuple(
      fc.oneof({ weight: 5, arbitrary: document.map(asText) }, jsonFragment),
      fc.array(
        fc.oneof(
          fc.tuple(
            fc.constant('variables'),
            fc.oneof(jsonFragment, deepJson, fc.constant(variables)),
          ),
          fc.tuple(
            fc.constant('operationName'),
            fc.oneof(jsonFragment, fc.constant(asText(operationName))),
          ),
          fc.tuple(
            fc.constant('extensions'),
            fc.oneof(
              jsonFragment,
              fc.constant(`{"persistedQuery":{"version":1,"sha256Hash":"${'0'.repeat(64)}"}}`),
            ),
          ),
          fc.tuple(
            fc.oneof(inheritedName, fc.constantFrom('query', 'id', 'documentId')),
            jsonFragment,
          ),
        ),
        { maxLength: 3 },
      ),
    )
    .map(([query, more]) => [['query', query], ...more]);
}

export const contentTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/graphql',
  'application/graphql+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'text/plain',
  'application/jsonl',
  '',
] as const;

export const accepts = [
  '*/*',
  'application/json',
  'application/graphql-response+json',
  'text/event-stream',
  'multipart/mixed',
  'application/xml',
  'text/html',
  '',
] as const;

export const methods = fc.oneof(
  { weight: 8, arbitrary: fc.constant('POST') },
  fc.constantFrom('PUT', 'DELETE', 'TRACE', 'QUERY', 'OPTIONS', 'HEAD', 'PATCH'),
);

/** What may stand behind `?query=…`. */
export const moreParameters = [
  '',
  '&variables={}',
  '&variables=%7B%22v%22:1%7D',
  '&variables=[',
  '&operationName=Q',
  '&operationName=',
  '&extensions=%7B%22persistedQuery%22:%7B%22version%22:1%7D%7D',
  '&query=%7B__typename%7D',
  '&__proto__=1',
  '&variables[v]=1',
] as const;

export interface Post {
  readonly body: Buffer;
  readonly type?: string;
  readonly accept?: string;
  readonly method?: string;
}

/** A subscription over events has no end, so those who wait for a response send none. */
export function withoutStreams(document: string, accept: string | undefined): string {
  return accept === 'text/event-stream' ? document.replaceAll('subscription', 'query') : document;
}

export function post(world: World, target: string, { body, type, accept, method = 'POST' }: Post) {
  const headers: HeaderPair[] = [bearer(world.own.writeKey)];
  headers.push(type === undefined ? json : ['Content-Type', type]);
  if (accept !== undefined) headers.push(['Accept', accept]);
  const sent = Buffer.from(withoutStreams(body.toString('latin1'), accept), 'latin1');
  return world.ask({ method, target, headers, body: sent });
}
