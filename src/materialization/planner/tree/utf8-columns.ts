/**
 * ILIKE and its relatives search all rows of a block at once. Where a text is not valid UTF-8, whether they find
 * something depends on the rows before and after it, which differ between the source and a stored table. (Found by
 * comparing blocks of many rows with blocks of one row, ClickHouse 26.7.)
 */
import type { SourceCheck } from '../../../model/materialization-plan.ts';
import {
  argumentsOf,
  attributeOf,
  columnOf,
  nodesById,
  operandsOf,
  partOf,
  stringOf,
  type TreeNode,
  tableNameOf,
  typeOf,
} from '../../../sql/query-tree.ts';
import { quoteName, quoteTable } from '../../../sql/quote-name.ts';
import { refuse } from '../refusal.ts';

/** A column of a table that is searched. */
interface Utf8Column {
  /** `database.table`, as the engine states it. */
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** The function that searches it, as authors write it. */
  readonly search: string;
}

const searches: ReadonlyMap<string, string> = new Map([
  ['ilike', 'ILIKE'],
  ['notILike', 'NOT ILIKE'],
  ['positionCaseInsensitiveUTF8', 'positionCaseInsensitiveUTF8'],
  ['countSubstringsCaseInsensitiveUTF8', 'countSubstringsCaseInsensitiveUTF8'],
]);

/**
 * Checks that such functions search only valid texts, anywhere in the query. Throws Refusal for a search in a text
 * that cannot be traced back to columns.
 *
 * @param nodes of the query's resolved tree.
 */
export function utf8Checks(nodes: readonly TreeNode[]): readonly SourceCheck[] {
  const byId = nodesById(nodes);
  const found = new Map<string, Utf8Column>();
  for (const node of nodes) {
    const search = node.kind === 'FUNCTION' ? searches.get(attributeOf(node, 'function_name')) : '';
    const [searched] = search ? argumentsOf(node) : [];
    if (!search || searched === undefined) continue;
    for (const column of sourcesOf(searched, { byId, search })) {
      found.set(JSON.stringify([column.table, column.column]), column);
    }
  }
  return [...found.values()].map((column) => ({
    countFaults: countInvalid(column),
    reason: `${column.column} has texts that are not valid UTF-8, over which the result of ${column.search} depends on the rows beside them; write ${column.search} over toValidUTF8(${ONE_TEXT.test(column.type) ? column.column : '…'}).`,
  }));
}

interface Tracing {
  readonly byId: ReadonlyMap<number, TreeNode>;
  readonly search: string;
}

/**
 * Functions whose result is valid UTF-8 if their texts are. Not those that work on bytes, as trimming characters other
 * than spaces does, or splitting at an empty text, or a regular expression with `\C`.
 */
const keepsValid = new Set(
  (
    'lower upper lowerUTF8 upperUTF8 initcap initcapUTF8 concat concatWithSeparator substringUTF8 leftUTF8 rightUTF8 ' +
    'reverseUTF8 replaceAll replaceOne if multiIf ifNull coalesce nullIf assumeNotNull toNullable toLowCardinality ' +
    'identity materialize toString CAST _CAST arrayElement arrayJoin mapKeys mapValues splitByChar domain domainWithoutWWW path ' +
    'protocol topLevelDomain cutQueryString min max any anyLast argMin argMax lagInFrame leadInFrame first_value ' +
    'last_value'
  ).split(' '),
);
const trims = new Set(['trimBoth', 'trimLeft', 'trimRight']);

/** Throws Refusal for a text of another origin. */
function sourcesOf(node: TreeNode, tracing: Tracing): readonly Utf8Column[] {
  switch (node.kind) {
    case 'CONSTANT':
      return isValidConstant(node) ? [] : refuseOrigin(tracing);
    case 'COLUMN':
      return sourcesOfColumn(node, tracing);
    case 'FUNCTION':
      return sourcesOfCall(node, tracing);
    default:
      return refuseOrigin(tracing);
  }
}

/** The engine prints bytes that are not valid UTF-8 as they are; reading them gives U+FFFD. */
function isValidConstant(node: TreeNode): boolean {
  return !(stringOf(node) ?? node.attributes).includes('\uFFFD');
}

function sourcesOfCall(node: TreeNode, tracing: Tracing): readonly Utf8Column[] {
  const name = attributeOf(node, 'function_name');
  if (name === 'toValidUTF8') return [];
  if (!isText(typeOf(node))) return [];
  const args = argumentsOf(node);
  const isKept = keepsValid.has(name) || (trims.has(name) && args.length === 1);
  if (isKept) return args.flatMap((arg) => textSources(arg, tracing));
  return args.some((arg) => mayHoldText(arg)) || args.length === 0 ? refuseOrigin(tracing) : [];
}

/** A number, a time or a condition among the arguments adds no text. */
function textSources(node: TreeNode, tracing: Tracing): readonly Utf8Column[] {
  return mayHoldText(node) ? sourcesOf(node, tracing) : [];
}

function mayHoldText(node: TreeNode): boolean {
  return node.kind === 'LAMBDA' || isText(typeOf(node));
}

function sourcesOfColumn(node: TreeNode, tracing: Tracing): readonly Utf8Column[] {
  const { name: column, type, source: id } = columnOf(node) ?? refuseOrigin(tracing);
  if (!isText(type)) return [];
  const source = id === null ? undefined : tracing.byId.get(id);
  switch (source?.kind) {
    case 'TABLE':
      return [{ table: tableNameOf(source), column, type, search: tracing.search }];
    case 'QUERY':
    case 'UNION':
      return sourcesOfResult(source, column, tracing);
    case 'ARRAY_JOIN':
      return originsOf(joinedArray(source, column), tracing);
    case 'JOIN':
      return originsOf(node, tracing);
    case 'LAMBDA':
      return sourcesOfLambda(source, tracing);
    default:
      return refuseOrigin(tracing);
  }
}

/** Members of a UNION name their columns as they like; the first one's names count. */
function sourcesOfResult(
  source: TreeNode,
  column: string,
  tracing: Tracing,
): readonly Utf8Column[] {
  const [first, ...others] = operandsOf(source);
  const at = first === undefined ? -1 : columnNamesOf(first).indexOf(column);
  return [first, ...others].flatMap((query) => {
    const item = query === undefined ? undefined : partOf(query, 'PROJECTION')[at];
    return item === undefined ? refuseOrigin(tracing) : sourcesOf(item, tracing);
  });
}

function joinedArray(source: TreeNode, column: string): TreeNode | undefined {
  return partOf(source, 'JOIN EXPRESSIONS').find((node) => columnOf(node)?.name === column);
}

function originsOf(node: TreeNode | undefined, tracing: Tracing): readonly Utf8Column[] {
  const origins = node === undefined ? [] : partOf(node, 'EXPRESSION');
  if (origins.length === 0) return refuseOrigin(tracing);
  return origins.flatMap((origin) => sourcesOf(origin, tracing));
}

/** The arrays that a lambda is called for. */
function sourcesOfLambda(lambda: TreeNode, tracing: Tracing): readonly Utf8Column[] {
  const call = lambda.parent?.parent?.parent;
  if (call?.kind !== 'FUNCTION') return refuseOrigin(tracing);
  const arrays = argumentsOf(call).filter(({ kind }) => kind !== 'LAMBDA');
  return arrays.flatMap((array) => textSources(array, tracing));
}

/** `name Type` for each column of the result. */
export function columnNamesOf(query: TreeNode): readonly string[] {
  const part = query.children.find(({ kind }) => kind === 'PROJECTION COLUMNS');
  const items = partOf(query, 'PROJECTION');
  return (part?.children ?? []).map(({ kind, attributes, id }, at) => {
    const line = id === null ? kind : `${kind} id: ${id}, ${attributes}`;
    const item = items[at];
    const type = item === undefined ? '' : typeOf(item);
    return line.endsWith(` ${type}`) ? line.slice(0, -type.length - 1) : line;
  });
}

/** Also arrays of texts, and types that may hold some. */
function isText(type: string): boolean {
  return /String|Tuple|Map|JSON|Object|Variant|Dynamic/.test(type);
}

const TEXT = String.raw`(?:LowCardinality\()?(?:Nullable\()?(?:Fixed)?String(?:\(\d+\))?\)*`;
const ONE_TEXT = new RegExp(`^${TEXT}$`);
const TEXTS = new RegExp(String.raw`^Array\(${TEXT}\)$`);
const MAP = new RegExp(String.raw`^Map\((${TEXT}), (${TEXT})\)$`);

/** A SELECT that counts the rows in which the column is not valid UTF-8. Throws Refusal for other types than texts. */
function countInvalid({ table, column, type, search }: Utf8Column): string {
  const isValid = validity(quoteName(column), type);
  if (isValid === null) return refuseOrigin({ search });
  return `SELECT countIf(NOT ${isValid}) FROM ${quoteTable(table)}`;
}

/** Null for a type whose texts cannot be checked. */
function validity(name: string, type: string): string | null {
  // NULL is not searched.
  const areValid = (texts: string) => `arrayAll(x -> ifNull(isValidUTF8(x), 1), ${texts})`;
  if (ONE_TEXT.test(type)) return `isValidUTF8(${name})`;
  if (TEXTS.test(type)) return areValid(name);
  if (MAP.test(type))
    return `(${areValid(`mapKeys(${name})`)} AND ${areValid(`mapValues(${name})`)})`;
  return null;
}

function refuseOrigin({ search }: Pick<Tracing, 'search'>): never {
  refuse(
    `Over texts that are not valid UTF-8, the result of ${search} depends on the rows beside them, and this text is computed, so that it cannot be checked; write ${search} over toValidUTF8(…).`,
  );
}
