/** Our lexer has to cut a text where the engine's does: what one of them takes for a quote, the other must too. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openClickHouseEngine } from '../../src/engine/clickhouse/clickhouse-engine.ts';
import { openEngineClient } from '../../src/engine/clickhouse/http/http-client.ts';
import { readRows } from '../../src/engine/clickhouse/http/session.ts';
import { formatParam } from '../../src/sql/param-value.ts';
import { lexSql } from '../../src/sql/sql-lexer.ts';
import { config, type LocalEngine, log, startLocalEngine } from '../engine/support/local-engine.ts';

/** Whatever begins, ends or bends a token, and some plain words between. */
const fragments =
  "' \" ` \\ $ $$ $a$ /* */ / * -- # #! \n { } : x X b e p E - + > . .. _ __ 0 1 9 0x 0b f file ( ) [ ] , ; @ @@ | || \u2018 \u2019 \u201c \u201d \u2212 é 😀 \\G 1e x' b' Identifier ? ! = < ~ ^ % &"
    .split(' ')
    .concat([' ', '\t', '\0', '\x01', '\x0b', '\x0c', '\r'])
    .concat(['\u00a0', '\u3000', '\u0085', '\u2028', '\ufeff', '\u200b', '\u180e', '# ']);
const texts = fc
  .array(fc.constantFrom(...fragments), { minLength: 1, maxLength: 14 })
  .map((parts) => `SELECT ${parts.join('')}`);

const { exec: realExec } = RegExp.prototype;
const { indexOf: realIndexOf } = String.prototype;

const kinds: Readonly<Record<string, string>> = {
  BareWord: 'word',
  QuotedIdentifier: 'name',
  StringLiteral: 'text',
  HereDoc: 'text',
  Number: 'number',
};

type EngineToken = readonly [from: string, to: string, kind: string];

/** Up to the first token that the engine refuses: what stands behind it is never read. */
function readTheirs(sql: string, tokens: readonly EngineToken[]) {
  const bytes = Buffer.from(sql);
  const significant = tokens.filter(([, , kind]) => kind !== 'Whitespace' && kind !== 'Comment');
  const error = significant.findIndex(([, , kind]) => kind.startsWith('Error'));
  const read = error < 0 ? significant : significant.slice(0, error);
  const list = read.flatMap(([from, to, kind]) => {
    const text = bytes.toString('utf8', Number(from), Number(to));
    if (kinds[kind] !== undefined) return [`${kinds[kind]} ${text}`];
    return text === '\\G' ? [`symbol ${text}`] : Array.from(text, (char) => `symbol ${char}`);
  });
  return { list, isWhole: error < 0 };
}

describe('the lexer', () => {
  let local: LocalEngine;
  beforeAll(async () => {
    local = await startLocalEngine();
    const { connection } = local.engine;
    await openClickHouseEngine({ connection, config, log, local: local.engine }).provision(1);
  });
  afterAll(async () => local?.close());

  async function tokenize(batch: readonly string[]): Promise<readonly (readonly EngineToken[])[]> {
    const { connection } = local.engine;
    const client = openEngineClient({ url: connection.url });
    try {
      const response = await client.send({
        login: connection.credentials(1, 'reader'),
        sql: 'SELECT arrayMap(t -> (toString(t.1), toString(t.2), toString(t.3)), tokenizeQuery(arrayJoin({texts:Array(String)})))',
        params: { texts: formatParam('Array(String)', batch) },
        settings: { default_format: 'JSONCompactEachRow' },
        timeoutMs: 20_000,
      });
      return readRows(response).map((row) => row[0] as readonly EngineToken[]);
    } finally {
      client.close();
    }
  }

  it('cuts texts where the engine does', async () => {
    const batches = fc.array(texts, { minLength: 200, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(batches, async (batch) => {
        const responses = await tokenize(batch);
        for (const [index, sql] of batch.entries()) {
          const theirs = readTheirs(sql, responses[index] ?? []);
          const ours = lexSql(sql).map((t) => `${t.kind} ${sql.slice(t.start, t.end)}`);
          expect(theirs.isWhole ? ours : ours.slice(0, theirs.list.length)).toEqual(theirs.list);
        }
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    "'",
    '/*',
    '$a',
    '{a:',
    '`\\',
    '\u2018',
    '0x',
    '--\n',
    '$$ ',
    "x'",
    '#!',
    '/**/',
    '$a$ $b',
    'a',
    '1',
    '.',
    '"a" ',
    '$$$',
  ])('looks at each character of %j, repeated, a few times only', (piece) => {
    const sql = piece.repeat(20_000 / piece.length);
    expect(charactersRead(() => lexSql(sql))).toBeLessThan(20 * sql.length);
  });

  it('looks at each character a few times only where every tag of a here-document is another', () => {
    const sql = Array.from({ length: 5000 }, (_, index) => `$t${index}$ `).join('');
    expect(charactersRead(() => lexSql(sql))).toBeLessThan(20 * sql.length);
  });
});

/** How many characters the work's searches pass over. In place of its time, which is the machine's. */
function charactersRead(work: () => unknown): number {
  let count = 0;
  const exec = vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (
    this: RegExp,
    text: string,
  ) {
    const from = this.lastIndex;
    const found = realExec.call(this, text);
    const end = found === null ? (this.sticky ? from : text.length) : found.index + found[0].length;
    count += 1 + Math.max(0, end - from);
    return found;
  });
  const indexOf = vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (
    this: string,
    wanted: string,
    from = 0,
  ) {
    const found = realIndexOf.call(this, wanted, from);
    count += 1 + (found < 0 ? this.length : found) - from;
    return found;
  });
  try {
    work();
  } finally {
    exec.mockRestore();
    indexOf.mockRestore();
  }
  return count;
}
