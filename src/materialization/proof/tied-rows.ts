/**
 * Ties: a query does not determine the order of rows with equal sort keys, nor which of them LIMIT returns. This
 * extends its text so that the result shows which rows are tied.
 */
import type { EngineStatement, ResultPart } from '../../engine/query-engine.ts';
import type { ResultCut, ResultShape } from '../../engine/result-shape.ts';
import type { MaterializationDeps } from '../deps.ts';
import { sortElements } from '../planner/layout/ordering.ts';
import { isRefusal } from '../planner/refusal.ts';
import {
  appended,
  type ClauseName,
  clauseTexts,
  parseSelect,
  renderSelect,
  type Select,
} from '../planner/text/select.ts';
import { hasKeyword, textOf } from '../planner/text/tokens.ts';

/** Every row that the result may contain, with its sort keys. */
interface TiedResult {
  readonly sql: string;
  /** Columns of the sort keys; null if rows may come in any order. */
  readonly keys: readonly number[] | null;
  /** The part of the rows that forms the result; null for all of them. */
  readonly part: ResultPart | null;
  readonly precisions: ResultShape['precisions'];
}

/** @param width number of result columns. */
export async function exposeTies(
  deps: MaterializationDeps,
  statement: EngineStatement,
  { shape, width }: { readonly shape: ResultShape; readonly width: number },
): Promise<TiedResult> {
  const { precisions } = shape;
  const keys = selectedKeys(shape);
  const asWritten: TiedResult = { sql: statement.sql, keys, part: null, precisions };
  const hasTies = shape.keys.includes(null) || isOpen(shape.cut);
  if (!shape.isOneSelect || !hasTies) return asWritten;
  try {
    return (await extend(deps, statement, { shape, width })) ?? asWritten;
  } catch (error) {
    if (isRefusal(error)) return asWritten;
    throw error;
  }
}

/**
 * Whether it returns some of several tied rows: WITH TIES keeps all of the last ones, but OFFSET may skip any of the
 * first.
 */
function isOpen(cut: ResultCut | null): cut is ResultCut {
  return cut !== null && (!cut.isWithTies || cut.offset !== 0);
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
  const cut = isOpen(shape.cut) ? shape.cut : null;
  const offset = cut === null ? null : removeLimits(texts, cut, shape.keys.length > 0);
  const extended = { projectId, sql: renderSelect(texts), params };
  const columns = await deps.engine.describe(extended);
  if (columns.length !== width + added.length) return null;
  const shown = await deps.engine.shape(extended);
  const { precisions } = shown;
  const tied = { sql: extended.sql, keys: selectedKeys(shown), precisions };
  if (cut === null) return { ...tied, part: null };
  return { ...tied, part: offset === null ? { positions: places } : { offset } };
}

/** Empty with DISTINCT, whose result further columns would change. */
function hiddenKeys(select: Select, { keys, isDistinct }: ResultShape): readonly string[] {
  if (isDistinct || !keys.includes(null)) return [];
  const orderBy = select.clauses.get('ORDER BY') ?? [];
  // WITH FILL would fill further columns too.
  if (hasKeyword(orderBy, 'FILL')) return [];
  const elements = sortElements(orderBy);
  if (elements.length !== keys.length) return [];
  return elements.flatMap(({ expression }, at) => (keys[at] === null ? textOf(expression) : []));
}

/**
 * Removes the limits, so that all rows tied with the last one are included.
 *
 * @returns how many rows precede the result; null if the result's rows may be anywhere among them.
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
