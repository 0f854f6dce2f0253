/** One generated query through the service: created, materialized, synced, and run inline and stored. */
import type { TestApp, TestResponse } from '../../support/test-app.ts';
import { findMistake } from './judge.ts';
import { type Generated, uses, written } from './queries.ts';
import { parseCsv, type Result } from './rows.ts';
import { omitted, runs } from './variables.ts';

export type Service = Pick<TestApp, 'rest' | 'sql' | 'app' | 'clock'>;

export type Outcome =
  /** The engine does not take the query. */
  | { readonly kind: 'invalid'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string }
  /** It was accepted, and its sync failed. */
  | { readonly kind: 'failed'; readonly why: string }
  | {
      readonly kind: 'same';
      /** Runs whose results were compared. */
      readonly compared: number;
      readonly withRows: number;
      /** Runs that failed in both ways. */
      readonly failing: number;
      /** Runs that a stored table does not serve, as those with NULL. */
      readonly inline: number;
    }
  | {
      readonly kind: 'wrong';
      readonly why: string;
      readonly values: object;
      readonly read: string;
    };

type Values = Readonly<Record<string, unknown>>;

/** A query that was accepted, and waits for its sync. */
export interface Created {
  readonly name: string;
  readonly generated: Generated;
}

/** @returns the outcome where it is decided at once. */
export async function create(
  { rest }: Service,
  { name, generated }: Created,
): Promise<Outcome | null> {
  const body = {
    name,
    query: definitionOf(generated),
    is_materialized: true,
    sync_frequency: '30day',
  };
  const response = await rest('POST', '/endpoints', { body });
  if (response.status === 201) return null;
  const { code, detail } = response.body;
  if (code === 'cannot_materialize') return { kind: 'refused', why: String(detail) };
  return { kind: 'invalid', why: `${response.status} ${String(code)}: ${String(detail)}` };
}

export async function remove({ rest }: Service, { name }: Created): Promise<void> {
  await rest('DELETE', `/endpoints/${name}`);
}

function definitionOf(generated: Generated, sql = written(generated).sql) {
  const variables = Object.fromEntries(
    generated.variables.flatMap(({ name, definition }) =>
      definition === null || !uses(sql, name) ? [] : [[name, definition]],
    ),
  );
  return { kind: 'SQLQuery', query: sql, variables };
}

/** The values of each run. */
export function valuesOf(generated: Generated): readonly Values[] {
  const { used } = written(generated);
  return Array.from({ length: runs }, (_none, at) =>
    Object.fromEntries(
      used.flatMap(({ name, values }) => (values[at] === omitted ? [] : [[name, values[at]]])),
    ),
  );
}

/** After the sync. */
export async function judge(service: Service, created: Created): Promise<Outcome> {
  const { name, generated } = created;
  const { body: status } = await service.rest('GET', `/endpoints/${name}/materialization_status`);
  // Only the data show that 0 and -0 meet, that several rows match, or that a searched text is not valid.
  if (
    / -0(?![\d.])|not valid UTF-8|takes any of several matching rows/.test(String(status.error))
  ) {
    return { kind: 'refused', why: String(status.error) };
  }
  if (status.status !== 'Completed') {
    return { kind: 'failed', why: String(status.error ?? status.status) };
  }
  const counts = { compared: 0, withRows: 0, failing: 0, inline: 0 };
  for (const [at, values] of valuesOf(generated).entries()) {
    const found = await compareRun(service, created, { values, withTypes: at === 0 });
    if (found.why !== null) {
      return { kind: 'wrong', why: found.why, values, read: await readOf(service, name, values) };
    }
    counts[found.count] += 1;
    if (found.count === 'compared' && found.rows > 0) counts.withRows += 1;
  }
  return { kind: 'same', ...counts };
}

type Compared =
  | { readonly why: string }
  | {
      readonly why: null;
      readonly count: 'compared' | 'failing' | 'inline';
      readonly rows: number;
    };

async function compareRun(
  service: Service,
  { name, generated }: Created,
  { values, withTypes }: { readonly values: Values; readonly withTypes: boolean },
): Promise<Compared> {
  const path = `/endpoints/${name}/run`;
  const run = (refresh: string, format: string) =>
    service.rest('POST', path, { body: { variables: values, refresh, format } });
  const [inline, stored] = [await run('direct', 'csv'), await run('force', 'csv')];
  if (inline.status !== 200 || stored.status !== 200) return judgeFailure(inline, stored);
  const from = `${stored.headers.get('querydock-served-from')} ${stored.headers.get('querydock-inline-reason')}`;
  const mayBeInline =
    Object.values(values).includes(null) ||
    generated.variables.some(({ values: all }) => all.includes(omitted));
  if (from === 'inline variables' && mayBeInline) return { why: null, count: 'inline', rows: 0 };
  if (from !== 'materialized null') return { why: `the run was served from ${from}` };
  const [expected, actual] = [parseCsv(inline.text), parseCsv(stored.text)];
  const ask = (sql: string) => {
    const given = Object.entries(values).filter(([name]) => uses(sql, name));
    const definition = definitionOf(generated, sql);
    return askInline(service, { definition, values: Object.fromEntries(given) });
  };
  const why = await findMistake({
    select: generated.select,
    inline: expected,
    stored: actual,
    ask,
  });
  if (why !== null)
    return {
      why: `${why}\ninline: ${inline.text.slice(0, 600)}\nstored: ${stored.text.slice(0, 600)}`,
    };
  if (withTypes) {
    const [one, other] = [await run('direct', 'json'), await run('force', 'json')];
    const [types, storedTypes] = [one.body.types, other.body.types].map((found) =>
      JSON.stringify(found),
    );
    if (types !== storedTypes)
      return { why: `the types are ${types} inline and ${storedTypes} stored` };
  }
  return { why: null, count: 'compared', rows: expected.rows.length };
}

function judgeFailure(inline: TestResponse, stored: TestResponse): Compared {
  const say = ({ status, body }: TestResponse) =>
    status === 200
      ? 'succeeds'
      : `fails with ${status} ${String(body.code)}: ${String(body.detail)}`;
  if (inline.body.code === stored.body.code) return { why: null, count: 'failing', rows: 0 };
  return { why: `inline ${say(inline)}, stored ${say(stored)}` };
}

async function askInline(
  { rest }: Service,
  { definition, values }: { readonly definition: object; readonly values: Values },
): Promise<Result> {
  const body = { query: definition, variables: values, format: 'csv' };
  const response = await rest('POST', '/query', { body });
  if (response.status !== 200)
    throw new Error(`the judge's own query failed: ${response.text} ${JSON.stringify(definition)}`);
  return parseCsv(response.text);
}

/** The text that was sent to the engine. */
async function readOf({ rest }: Service, name: string, variables: Values): Promise<string> {
  const body = { variables, refresh: 'force', debug: true };
  const { body: answer } = await rest('POST', `/endpoints/${name}/run`, { body });
  return String(answer.query);
}
