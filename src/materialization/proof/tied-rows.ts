/**
 * Ties: a query does not determine which of the rows with equal sort keys comes first, nor which of them LIMIT returns.
 * Its text is extended so that the result shows which rows are tied.
 */
import type {
  EngineStatement,
  ResultCut,
  ResultPart,
  ResultShape,
} from '../../engine/query-engine.ts';
import { isTextError } from '../../sql/sql-analysis.ts';
import type { MaterializationDeps } from '../deps.ts';
import { sortElements } from '../planner/layout/ordering.ts';
import { Refusal } from '../planner/refusal.ts';
import {
  appended,
  type ClauseName,
  clauseTexts,
  parseSelect,
  renderSelect,
  type Select,
} from '../planner/text/select.ts';
import { textOf } from '../planner/text/tokens.ts';

/** Every row that the result may contain, with its sort keys. */
interface TiedResult {
  readonly sql: string;
  /** Columns of the sort keys; null: rows may come in any order. */
  readonly keys: readonly number[] | null;
  /** Which of the rows the result is; null: all of them. */
  readonly part: ResultPart | null;
}

/** @param width columns of the result. */
export async function exposeTies(
  deps: MaterializationDeps,
  statement: EngineStatement,
  { shape, width }: { readonly shape: ResultShape; readonly width: number },
): Promise<TiedResult> {
  const asWritten: TiedResult = { sql: statement.sql, keys: selectedKeys(shape), part: null };
  const hasTies = shape.keys.includes(null) || (shape.cut !== null && !shape.cut.isWithTies);
  if (!shape.isOneSelect || !hasTies) return asWritten;
  try {
    return (await extend(deps, statement, { shape, width })) ?? asWritten;
  } catch (error) {
    if (isTextError(error) || error instanceof Refusal) return asWritten;
    throw error;
  }
}

function selectedKeys({ keys }: ResultShape): readonly number[] | null {
  const found = keys.flatMap((key) => key ?? []);
  return found.length === 0 ? null : found;
}

async function extend(
  deps: MaterializationDeps,
  { projectId, sql, params }: EngineStatement,
  { shape, width }: { readonly shape: ResultShape; readonly width: number },
): Promise<TiedResult | null> {
  const analysis = deps.engine.analysis(projectId);
  const formatted = await analysis.format(sql);
  const [written, read] = [await analysis.ast(sql, params), await analysis.ast(formatted, params)];
  if (written.join('\n') !== read.join('\n')) return null;
  const select = parseSelect(await analysis.tokens(formatted));
  const texts = clauseTexts(select);
  let name = '__querydock_key';
  while (formatted.includes(name)) name += '_';
  const added = hiddenKeys(select, shape).map((text, at) => `${text} AS ${name}${at}`);
  texts.set('SELECT', appended(texts.get('SELECT'), added, ', '));
  const places = renderSelect(texts);
  const cut = shape.cut === null || shape.cut.isWithTies ? null : shape.cut;
  const offset = cut === null ? null : removeLimits(texts, cut, shape.keys.length > 0);
  const extended = { projectId, sql: renderSelect(texts), params };
  const columns = await deps.engine.describe(extended);
  if (columns.length !== width + added.length) return null;
  const keys = selectedKeys(await deps.engine.shape(extended));
  if (cut === null) return { sql: extended.sql, keys, part: null };
  return { sql: extended.sql, keys, part: offset === null ? { positions: places } : { offset } };
}

/** None beside DISTINCT, whose result another column would change. */
function hiddenKeys(select: Select, { keys, isDistinct }: ResultShape): readonly string[] {
  if (isDistinct || !keys.includes(null)) return [];
  const elements = sortElements(select.clauses.get('ORDER BY') ?? []);
  if (elements.length !== keys.length) return [];
  return elements.flatMap(({ expression }, at) => (keys[at] === null ? textOf(expression) : []));
}

/**
 * Removes the limits, so that all rows tied with the last one are there.
 *
 * @returns how many rows precede the result; null: the result's rows may be anywhere among them.
 */
function removeLimits(
  texts: Map<ClauseName, string>,
  cut: ResultCut,
  isOrdered: boolean,
): number | null {
  for (const name of ['LIMIT BY', 'LIMIT', 'OFFSET', 'FETCH'] as const) texts.delete(name);
  const { isBy, limit, offset } = cut;
  if (isBy || !isOrdered || Number.isNaN(offset) || Number.isNaN(limit)) return null;
  if (limit !== null) texts.set('LIMIT', `${offset + limit} WITH TIES`);
  return offset;
}
