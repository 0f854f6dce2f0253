/** One endpoint that changes between two forms while 16 readers ask for it: each answer is of one form as a whole. */
import { setImmediate } from 'node:timers/promises';
import type { TestApp } from '../../../support/test-app.ts';
import { type AskGraph, change, type GraphResponse, messagesOf, openGraph, save } from './graph.ts';

const readers = 16;

// The two forms differ in the type of a column and in an argument, so a mixture of both would show.
const forms = [
  "SELECT {n:UInt8} AS value, 'number' AS kind",
  "SELECT 'text' AS kind, toString({n:UInt8} + 0) AS value, {other:UInt8} AS other",
] as const;

interface Reading {
  readonly document: string;
  readonly right: RegExp;
  /** What the document gets while the endpoint has the other form. */
  readonly refused: string;
}

const missing =
  'Field "moving" argument "other" of type "Int!" is required, but it was not provided.';

const readings: readonly [Reading, Reading, Reading] = [
  {
    document: '{ moving(n: 7) { rows { value kind } run { version } } }',
    right:
      /^\{"data":\{"moving":\{"rows":\[\{"value":7,"kind":"number"\}\],"run":\{"version":\d+\}\}\}\}$/,
    refused: missing,
  },
  {
    document: '{ moving(n: 7, other: 3) { rows { value kind other } run { version } } }',
    right:
      /^\{"data":\{"moving":\{"rows":\[\{"value":"7","kind":"text","other":3\}\],"run":\{"version":\d+\}\}\}\}$/,
    refused: 'Unknown argument "other" on field "Query.moving".',
  },
  {
    document:
      '{ a: moving(n: 7) { rows { kind value } } b: moving(n: 7) { rows { value kind } } still { rows { one } } }',
    right:
      /^\{"data":\{"a":\{"rows":\[\{"kind":"number","value":7\}\]\},"b":\{"rows":\[\{"value":7,"kind":"number"\}\]\},"still":\{"rows":\[\{"one":1\}\]\}\}\}$/,
    refused: missing,
  },
];

/** How many answers there were of each kind. */
export interface Readings {
  readonly right: number;
  readonly refused: number;
}

/** Throws for an answer that is neither whole nor the refusal of its document, and for a change that its author does not see at once. */
export async function changeUnderReaders(test: TestApp, changes: number): Promise<Readings> {
  const ask = openGraph(test);
  const cached = { cache_age_seconds: 60 };
  await save(test, { name: 'moving', query: forms[0], ...cached });
  await save(test, { name: 'still', query: 'SELECT 1 AS one', ...cached });
  const seen = { right: 0, refused: 0 };
  for (let turn = 1; turn <= changes; turn += 1) {
    const changed = change(test, 'moving', { query: forms[turn % 2] });
    const read = Array.from({ length: readers }, (_value, reader) => readAt(ask, reader, turn));
    const kinds = await Promise.all(read);
    await changed;
    for (const kind of kinds) seen[kind] += 1;
    await requireSeen(ask, turn);
  }
  return seen;
}

async function readAt(ask: AskGraph, reader: number, turn: number): Promise<keyof Readings> {
  // Each begins at another moment of the change.
  for (let turns = 0; turns < 2 * reader; turns += 1) await setImmediate();
  const { document, right, refused } = readings[(reader + turn) % 3] ?? readings[0];
  const response = await ask(document);
  if (right.test(response.text)) return 'right';
  if (messagesOf(response).includes(refused) && !('data' in response.body)) return 'refused';
  throw mixture(response, turn);
}

/** Whoever saved it sees it. */
async function requireSeen(ask: AskGraph, turn: number): Promise<void> {
  const { document, right } = readings[turn % 2] ?? readings[0];
  const response = await ask(document);
  if (right.test(response.text) && response.text.includes(`"version":${turn + 1}}`)) return;
  throw mixture(response, turn);
}

function mixture({ text }: GraphResponse, turn: number): Error {
  return new Error(`change ${turn}: ${text}`);
}
