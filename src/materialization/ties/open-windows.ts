/** The result of a window function is undefined if the window's ORDER BY has ties. */
import { compileSample } from '../../query/compile-sample.ts';
import {
  attributeOf,
  nodesIn,
  partOf,
  readQueryTree,
  type TreeNode,
} from '../../sql/query-tree.ts';
import { quoteName } from '../../sql/quote-name.ts';
import { writtenClauses } from '../../sql/written-clauses.ts';
import { type WrittenWindow, writtenWindows } from '../../sql/written-windows.ts';
import type { MaterializationDeps } from '../deps.ts';
import {
  groupedBy,
  isPlainName,
  isSortable,
  type OpenOrder,
  plain,
  type SelectOfQuery,
  withoutDirection,
} from './open-order.ts';

/** Functions that process tied rows one by one; further sort keys only break the ties. */
const ONE_BY_ONE = /^(?:row_number|ntile|lag|lead|lagInFrame|first_value|any)$/i;
/** Functions that give tied rows the same result, which further sort keys would change. */
const BY_KEYS = /^(?:rank|dense_?rank|percent_?rank|cume_dist)$/i;

/** The windows of the SELECT with ties, without those of its subqueries. */
export async function openWindows(
  { engine }: MaterializationDeps,
  { projectId, query, select }: SelectOfQuery,
): Promise<readonly OpenOrder[]> {
  const windows = writtenWindows(select.text).filter(isSettledByKeys);
  if (windows.length === 0) return [];
  const { sql, params } = compileSample(query);
  const analysis = engine.analysis(projectId);
  const [root] = readQueryTree(await analysis.tree(await analysis.plain(sql), params)) ?? [];
  if (root?.kind !== 'QUERY') return [];
  const groups = groupedBy(writtenClauses(select.text).get('GROUP')?.elements ?? []);
  const distinguishing = groups.length > 0 ? groups.map(ofGroup) : columnsUsed(root, select.text);
  return windows.flatMap((window): readonly OpenOrder[] => {
    const keys = missingKeys(window, distinguishing ?? []);
    const isOpen = keys.length > 0 || distinguishing === null;
    return isOpen ? [{ of: 'window', end: select.start + window.orderEnd, keys }] : [];
  });
}

/** An expression that distinguishes rows. */
interface Distinguishing {
  readonly text: string;
  /** Its unqualified name; null if another table has a used column of the same name, so that it must be qualified. */
  readonly name: string | null;
}

const unqualified = (text: string) => text.replace(/^.*\./, '');

const ofGroup = (text: string): Distinguishing => ({
  text,
  name: unqualified(text) === text ? text : null,
});

function isSettledByKeys({ functions, orderBy, countsRows }: WrittenWindow): boolean {
  const isOpen = (name: string) => ONE_BY_ONE.test(name) || (countsRows && !BY_KEYS.test(name));
  return orderBy.length > 0 && functions.every(isOpen);
}

function missingKeys(
  { partitionBy, orderBy }: WrittenWindow,
  distinguishing: readonly Distinguishing[],
): readonly string[] {
  const settled = new Set(
    [...partitionBy, ...orderBy].map((text) => plain(withoutDirection(text))),
  );
  const names = new Set([...settled].map(unqualified));
  const missing = distinguishing.filter(
    ({ text, name }) => !settled.has(plain(text)) && (name === null || !names.has(plain(name))),
  );
  return missing.map(({ text }) => text);
}

/** The used columns; rows that are equal in all of them are interchangeable. Null if one of them cannot be sorted by. */
function columnsUsed(root: TreeNode, written: string): readonly Distinguishing[] | null {
  const sources = new Set(partOf(root, 'JOIN TREE').flatMap(sourcesIn));
  const used = new Map<string, { name: string; sources: Set<string>; type: string }>();
  for (const node of nodesIn(root)) {
    const source = attributeOf(node, 'source_id');
    if (node.kind !== 'COLUMN' || !sources.has(Number(source))) continue;
    const name = attributeOf(node, 'column_name');
    const known = used.get(name) ?? { name, sources: new Set(), type: '' };
    known.sources.add(source);
    used.set(name, { ...known, type: node.attributes });
  }
  const found = [...used.values()];
  if (found.some(({ type }) => !isSortable(type))) return null;
  return found.flatMap(({ name, sources: own }): readonly Distinguishing[] => {
    const spellings = qualifiedSpellings(name, written);
    if (own.size > 1) return spellings.map((text) => ({ text, name: null }));
    const [spelling, ...others] = spellings;
    // The unqualified name could mean a column of another table, which the query does not use.
    const isWritten = spelling !== undefined && others.length === 0;
    return [{ text: isWritten ? spelling : nameText(name), name: nameText(name) }];
  });
}

const nameText = (name: string) => (isPlainName(name) ? name : quoteName(name));

/** The author's spellings of a column that several tables have. */
function qualifiedSpellings(name: string, written: string): readonly string[] {
  const pattern = new RegExp(String.raw`\b\w+\.${name.replace(/\W/g, String.raw`\$&`)}\b`, 'g');
  return [...new Set(written.match(pattern) ?? [])];
}

function sourcesIn(node: TreeNode): readonly number[] {
  const isSource = /^(?:TABLE|TABLE_FUNCTION|QUERY|UNION|ARRAY_JOIN)$/.test(node.kind);
  const own = isSource && node.id !== null ? [node.id] : [];
  const isWhole = /^(?:QUERY|UNION)$/.test(node.kind);
  return isWhole ? own : [...own, ...node.children.flatMap(sourcesIn)];
}
