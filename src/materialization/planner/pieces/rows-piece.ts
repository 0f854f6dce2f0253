/** Pieces that store the rows of a FROM: one table, or a join with the predicates that have no variables. */
import { quoteName } from '../../../sql/quote-name.ts';
import { isTextError, type Token } from '../../../sql/sql-analysis.ts';
import { hasVariable } from '../text/parameters.ts';
import type { ClauseName, Select } from '../text/select.ts';
import {
  conjuncts,
  hasKeyword,
  identifiersIn,
  isName,
  nameOf,
  type Tokens,
  textOf,
  unwrapped,
} from '../text/tokens.ts';
import {
  chooseColumns,
  describeSources,
  mentionsCte,
  type SourceColumns,
  type StoredColumn,
  selected,
} from './piece-columns.ts';
import { usesOwnColumns } from './piece-comparisons.ts';
import {
  addPiece,
  bareWord,
  joinedByAnd,
  quotedName,
  type Splitting,
  tableOf,
  written,
} from './pieces.ts';
import { parseFrom, type Source, splitNested } from './query-text.ts';
import { joinsItself } from './self-join.ts';

export type SplitClauses = ReadonlyMap<ClauseName, Tokens>;

interface OfSource {
  readonly source: Source;
  /** The source's tokens in FROM. */
  readonly tokens: Tokens;
  /** WHERE of the SELECT that reads the source. */
  readonly where: Tokens;
  /** Join conditions that leave out rows of the source. */
  readonly on: readonly Tokens[];
}

/**
 * Stores one table of a FROM that is not stored as a whole. Returns its text in the read; null if it cannot be
 * stored.
 */
export async function sourcePiece(
  { source, tokens, where, on }: OfSource,
  splitting: Splitting,
): Promise<string | null> {
  const parsed = {
    sources: [{ ...source, start: 0, end: tokens.length }],
    hasArrayJoin: false,
    unconditional: 0,
  };
  const described = await describeSources(tokens, parsed, splitting);
  if (described === null || source.name === null) return null;
  const from = `FROM ${textOf(tokens)}`;
  const chosen = { columns: chooseColumns(described, from, splitting), isQualified: false };
  const { items, columns } = selected(chosen, splitting);
  const storedQuery = `SELECT ${items} ${from}`;
  const piece = addPiece(splitting, { kind: 'rows', storedQuery, columns, from });
  const alias = source.name;
  const isOwn = (condition: Tokens) =>
    usesOwnColumns(splitNested(condition).own, alias, { columns });
  const conditions = [
    ...conjuncts(where).map(unwrapped),
    ...on.flatMap(conjuncts).map(unwrapped).filter(isOwn),
  ];
  for (const condition of conditions) {
    if (selectsByRun(condition, splitting)) splitting.conditions.push({ piece, alias, condition });
  }
  return `${tableOf(piece)} AS ${quoteName(alias)}`;
}

/** Whether a predicate selects other rows in each run: by variables, or by what a subquery or CTE finds. */
function selectsByRun(condition: Tokens, splitting: Splitting): boolean {
  return (
    hasVariable(condition) || hasKeyword(condition, 'SELECT') || mentionsCte(condition, splitting)
  );
}

/** Stores a SELECT's whole FROM. Returns the clauses of its read; null if FROM cannot be stored. */
export async function rowsPiece(
  select: Select,
  splitting: Splitting,
): Promise<SplitClauses | null> {
  const read = await rowsRead(select, splitting);
  if (read === null) return null;
  const { from, described, pushed, left } = read;
  const isJoin = described.length > 1;
  const condition = pushed.length === 0 ? '' : ` WHERE ${joinedByAnd(pushed)}`;
  const fromText = `FROM ${textOf(from)}${condition}`;
  const columns = chooseColumns(described, fromText, splitting);
  const own = selected({ columns, isQualified: isJoin }, splitting);
  const storedQuery = `SELECT ${own.items} ${fromText}`;
  const piece = addPiece(splitting, {
    kind: 'rows',
    storedQuery,
    columns: own.columns,
    from: fromText,
  });
  const alias = isJoin
    ? `querydock_join${piece}`
    : (described[0]?.source.name ?? `querydock_rows${piece}`);
  const renamed = (tokens: Tokens) => (isJoin ? requalified(tokens, columns, alias) : tokens);
  const clauses = new Map<ClauseName, Tokens>();
  for (const [name, tokens] of select.clauses) {
    clauses.set(
      name,
      name === 'SELECT' && isJoin ? renamedItems(select, columns, renamed) : renamed(tokens),
    );
  }
  clauses.set('FROM', [bareWord(tableOf(piece)), bareWord('AS'), quotedName(alias)]);
  const conditions = left.map(renamed);
  for (const each of conditions) splitting.conditions.push({ piece, alias, condition: each });
  clauses.delete('WHERE');
  if (conditions.length > 0) clauses.set('WHERE', withAnd(conditions));
  return clauses;
}

interface RowsRead extends Divided {
  readonly from: Tokens;
  readonly described: readonly SourceColumns[];
}

/** What a SELECT reads, and its WHERE divided; null if its FROM cannot be stored as a whole. */
export async function rowsRead(
  { clauses }: Select,
  splitting: Splitting,
): Promise<RowsRead | null> {
  const from = clauses.get('FROM') ?? [];
  const parsed = parseFrom(from);
  if (parsed === null || parsed.hasArrayJoin) return null;
  const isJoin = parsed.sources.length > 1;
  const where = clauses.get('WHERE') ?? [];
  if (isJoin && (!splitting.options.joins || joinsItself(from, where))) return null;
  const described = await describeSources(from, parsed, splitting);
  if (described === null) return null;
  const divided = await divide({ from, where, described }, splitting);
  if (divided.pushed.filter(isEquiJoin).length < parsed.unconditional) return null;
  return { ...divided, from, described };
}

/** Joins predicates by AND, each in parentheses. */
export function withAnd(conditions: readonly Tokens[]): Tokens {
  return conditions.flatMap((condition, at) => [
    ...(at === 0 ? [] : [bareWord('AND')]),
    written('('),
    ...condition.map((token, i) => (i === 0 ? { ...token, spaced: false } : token)),
    written(')', false),
  ]);
}

interface Division {
  readonly from: Tokens;
  readonly where: Tokens;
  readonly described: readonly SourceColumns[];
}

interface Divided {
  /** Predicates applied before rows are stored. */
  readonly pushed: readonly Tokens[];
  readonly left: readonly Tokens[];
}

/** Separates the predicates of WHERE that depend only on the rows of FROM. */
export async function divide(
  { from, where, described }: Division,
  splitting: Splitting,
): Promise<Divided> {
  const pushed: Tokens[] = [];
  const left: Tokens[] = [];
  const all = conjuncts(where).map(unwrapped);
  const isPlain = (condition: Tokens) => !hasVariable(condition) && !hasKeyword(condition, 'AS');
  for (const condition of all) {
    const isOwn = isPlain(condition) && usesOnly(condition, described, splitting);
    if (isOwn && !hasKeyword(condition, 'SELECT')) pushed.push(condition);
  }
  for (const condition of all) {
    if (pushed.includes(condition)) continue;
    const mayBe =
      isPlain(condition) && hasKeyword(condition, 'SELECT') && !mentionsCte(condition, splitting);
    const isOwn =
      mayBe && (await standsAlone({ from, conditions: [...pushed, condition] }, splitting));
    (isOwn ? pushed : left).push(condition);
  }
  return { pushed, left };
}

async function standsAlone(
  { from, conditions }: { readonly from: Tokens; readonly conditions: readonly Tokens[] },
  { describe }: Splitting,
): Promise<boolean> {
  const text = `SELECT 1 FROM ${textOf(from)} WHERE ${joinedByAnd(conditions)}`;
  try {
    await describe(text);
    return true;
  } catch (error) {
    if (isTextError(error)) return false;
    throw error;
  }
}

function usesOnly(
  condition: Tokens,
  described: readonly SourceColumns[],
  { aliases }: Splitting,
): boolean {
  return identifiersIn(condition).every((at) => {
    const token = condition[at];
    if (token === undefined) return false;
    const name = nameOf(token);
    const isQualified = condition[at + 1]?.text === '.';
    const isColumn = described.some(({ columns }) =>
      columns.some((column) => column.name === name),
    );
    if (isColumn && !aliases.has(name)) return true;
    return isQualified && described.some(({ source }) => source.name === name);
  });
}

function isEquiJoin(condition: Tokens): boolean {
  const [left, operator] = [
    identifiersIn(condition).length,
    condition.some(({ text }) => text === '='),
  ];
  return operator && left > 1 && !hasKeyword(condition, 'OR', 'SELECT');
}

/** Replaces the sources' columns by columns of the piece. */
function requalified(tokens: Tokens, columns: readonly StoredColumn[], alias: string): Tokens {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) continue;
    const column = tokens[at - 1]?.text === '.' ? undefined : columnAt(tokens, at, columns);
    if (column === undefined) {
      result.push(token);
      continue;
    }
    result.push({ ...quotedName(alias), spaced: token.spaced });
    result.push(written('.', false), { ...quotedName(column.stored), spaced: false });
    at += 2;
  }
  return result;
}

/** The column referenced by `source.column` at this token. */
function columnAt(
  tokens: Tokens,
  at: number,
  columns: readonly StoredColumn[],
): StoredColumn | undefined {
  const [source, dot, name] = tokens.slice(at, at + 3);
  if (!isName(source) || dot?.text !== '.' || !isName(name)) return undefined;
  return columns.find((column) => column.source === nameOf(source) && column.name === nameOf(name));
}

/** Items that are renamed columns keep their result name. */
function renamedItems(
  select: Select,
  columns: readonly StoredColumn[],
  renamed: (tokens: Tokens) => Tokens,
): Tokens {
  const items = select.items.map(({ tokens }) => {
    const column = tokens.length === 3 ? columnAt(tokens, 0, columns) : undefined;
    const isOther = column !== undefined && column.stored !== column.name;
    return isOther
      ? [...renamed(tokens), bareWord('AS'), quotedName(column.name)]
      : renamed(tokens);
  });
  const list = items.flatMap((item, at) => (at === 0 ? item : [written(',', false), ...item]));
  return select.isDistinct ? [bareWord('DISTINCT'), ...list] : list;
}
