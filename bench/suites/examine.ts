/** Takes a query of a suite through a service: it is saved, materialized, and each of its answers is judged. */
import { type Suite, type SuiteQuery, type Values, withConstants } from './suite.ts';
import { findFault, type JudgedResult, type Row, wholeResultOf } from './whole-result.ts';

export type Body = Readonly<Record<string, unknown>>;

/** A project of a service, with the tables of a suite. */
export interface SuiteService {
  /** Below the project's endpoints; the body of the answer, whatever its status. */
  readonly rest: (method: 'GET' | 'POST', path: string, body?: Body) => Promise<Body>;
  /** A statement of the administrator in the project's database. */
  readonly sql: (statement: string) => Promise<string>;
}

export const forms = ['constants', 'variables'] as const;
export type Form = (typeof forms)[number];

/** A query in one of its two forms, as an endpoint. */
export interface SavedQuery {
  readonly form: Form;
  readonly query: SuiteQuery;
  readonly endpoint: string;
  /** Why it cannot be materialized; null when it can. */
  readonly refusal: string | null;
}

/** One set of values. */
export interface Answer {
  readonly values: Values;
  /** Whether it was read from the stored table; otherwise the service's reason. */
  readonly inlineReason: string | null;
  /** What is wrong with the answer from the stored table; null when it is exact. */
  readonly fault: string | null;
  /** Of the inline run, which shows that the judge is right; null also where that needs more memory than a run may. */
  readonly inlineFault: string | null;
  readonly isInlinePossible: boolean;
  readonly rows: number;
  /** Rows that the engine read for it; null when it was not read from the stored table. */
  readonly rowsRead: number | null;
}

export async function fillTables(
  { sql }: Pick<SuiteService, 'sql'>,
  suite: Suite,
  scale: number,
): Promise<void> {
  for (const statement of [...suite.tables, ...suite.fill(scale)]) await sql(statement);
}

/** Saves it as a materialized endpoint, or as a plain one when that is refused. */
export async function saveQuery(
  { rest }: SuiteService,
  query: SuiteQuery,
  form: Form,
): Promise<SavedQuery> {
  const sql = form === 'constants' ? withConstants(query) : query.sql;
  const name = `${query.name.replaceAll('.', '_')}_${form}`;
  const created = await rest('POST', '', { name, query: sql, is_materialized: true });
  const saved = { form, query, endpoint: name };
  if (created.code === undefined) return { ...saved, refusal: null };
  if (created.code !== 'cannot_materialize') throw new Error(`${name}: ${JSON.stringify(created)}`);
  const plain = await rest('POST', '', { name, query: sql });
  if (plain.code !== undefined) throw new Error(`${name}: ${JSON.stringify(plain)}`);
  return { ...saved, refusal: String(created.detail).replace('Cannot materialize endpoint. ', '') };
}

/** Every set of values of a query whose first sync is done. */
export async function judge(service: SuiteService, saved: SavedQuery): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const values of valuesOf(saved)) {
    const whole = await readWhole(service, saved, values);
    const stored = await run(service, saved, { values, refresh: 'force' });
    const inline = await runInline(service, saved, values);
    const isStored = stored.endpoint_materialized === true;
    answers.push({
      values,
      inlineReason: isStored ? null : String(stored.inline_reason),
      fault: isStored ? findFault(whole, stored.results as readonly Row[]) : null,
      inlineFault: inline === null ? null : findFault(whole, inline.results as readonly Row[]),
      isInlinePossible: inline !== null,
      rows: (stored.results as readonly Row[]).length,
      rowsRead: isStored ? (stored.query_progress as { rows_read: number }).rows_read : null,
    });
  }
  return answers;
}

/** What a run is given: nothing where the values are written into the text. */
export function valuesOf({ form, query }: SavedQuery): readonly Values[] {
  return form === 'constants' ? [{}] : query.values;
}

interface Asked {
  readonly values: Values;
  readonly refresh: 'force' | 'direct';
}

/** Null if it exceeds the memory limit. */
async function runInline(
  service: SuiteService,
  saved: SavedQuery,
  values: Values,
): Promise<Body | null> {
  const answer = await send(service, saved, { values, refresh: 'direct' });
  return answer.code === 'query_memory_limit' ? null : complete(saved, answer);
}

async function run(service: SuiteService, saved: SavedQuery, asked: Asked): Promise<Body> {
  return complete(saved, await send(service, saved, asked));
}

function send({ rest }: SuiteService, { endpoint }: SavedQuery, asked: Asked): Promise<Body> {
  const body = { variables: asked.values, refresh: asked.refresh, integers: 'string', debug: true };
  return rest('POST', `/${endpoint}/run`, body);
}

function complete({ endpoint }: SavedQuery, answer: Body): Body {
  if (answer.results === undefined || answer.hasMore === true)
    throw new Error(`${endpoint}: ${JSON.stringify(answer).slice(0, 1000)}`);
  return answer;
}

const format =
  "FORMAT JSONCompactEachRowWithNamesAndTypes SETTINGS date_time_output_format = 'iso', output_format_json_quote_64bit_integers = 1, output_format_json_quote_decimals = 1, output_format_decimal_trailing_zeros = 1";

/** Straight from the engine, with the values in the text. */
async function readWhole(
  { sql }: SuiteService,
  { form, query }: SavedQuery,
  values: Values,
): Promise<JudgedResult> {
  const text =
    form === 'constants'
      ? withConstants(query)
      : withConstants({ ...query, constants: undefined, values: [values] });
  const { statement, offset, limit } = wholeResultOf(text);
  const lines = (await sql(`${statement} ${format}`)).trimEnd().split('\n');
  const [, types = [], ...rows] = lines.map((line) => JSON.parse(line) as Row);
  return { types: types.map(String), rows, offset, limit };
}
