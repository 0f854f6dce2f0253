/** Which columns of its pieces a read uses, so that no others are stored. */
import { parseSelect, type Select } from '../text/select.ts';
import {
  hasKeyword,
  isColumnPattern,
  isKeyword,
  isName,
  nameOf,
  splitList,
  type Tokens,
} from '../text/tokens.ts';
import { type Piece, tableOf, type UsedColumns } from './pieces.ts';
import { isBracketed, splitNested, splitSetOperations } from './query-text.ts';

/**
 * @param every whether every `*` uses all columns. If false, it does only where all columns of its SELECT are results: of
 * a subquery in FROM, of a CTE and within EXISTS, only columns that are named elsewhere are used.
 */
export function usedColumns(read: Tokens, pieces: readonly Piece[], every: boolean): UsedColumns {
  const tables = new Map(
    pieces.flatMap(({ from }, at) => (from === undefined ? [] : [[tableOf(at), from] as const])),
  );
  const reading = { tables, every, whole: new Set<string>(), ctes: new Set<string>() };
  readQuery(read, true, reading);
  return { names: namesIn(read), parents: parentsIn(read), whole: reading.whole };
}

/** Every name, and those joined by dots: `q`, `a`, `b`, `q.a`, `a.b` and `q.a.b` of `q.a.b`. */
function namesIn(tokens: Tokens): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    if (!isName(token)) continue;
    let [name, last] = [nameOf(token), at];
    names.add(name);
    for (let next = tokens[at + 2]; tokens[last + 1]?.text === '.' && isName(next); ) {
      last += 2;
      name = `${name}.${nameOf(next)}`;
      names.add(name);
      next = tokens[last + 2];
    }
  }
  return names;
}

/** Names that no other name follows after a dot, so that they may stand for all columns that begin with them. */
function parentsIn(tokens: Tokens): ReadonlySet<string> {
  const isParent = (at: number) => tokens[at + 1]?.text !== '.' || !isName(tokens[at + 2]);
  return new Set(tokens.filter((token, at) => isName(token) && isParent(at)).map(nameOf));
}

interface Reading {
  /** What each piece of rows selects from, by its table. */
  readonly tables: ReadonlyMap<string, string>;
  readonly every: boolean;
  readonly whole: Set<string>;
  /** CTEs whose columns are all results. */
  readonly ctes: Set<string>;
}

/** @param isResult whether all of its columns are used. */
function readQuery(tokens: Tokens, isResult: boolean, reading: Reading): void {
  const operands = splitSetOperations(tokens);
  const isAll = isResult || operands.length > 1;
  for (const { query } of operands) {
    if (isBracketed(query)) readQuery(query.slice(1, -1), isAll, reading);
    else readSelect(parseSelect(query), isAll, reading);
  }
}

function readSelect(select: Select, isResult: boolean, reading: Reading): void {
  const { clauses, isDistinct } = select;
  const isStarred = [...clauses.values()].some((clause) => hasStar(splitNested(clause).own));
  const isNatural = hasKeyword(clauses.get('FROM') ?? [], 'NATURAL');
  const isAll = isNatural || (isStarred && (isResult || isDistinct || reading.every));
  const from = splitNested(clauses.get('FROM') ?? []);
  for (const name of from.own.filter(isName).map(nameOf)) {
    const piece = reading.tables.get(name);
    if (isAll) reading.ctes.add(name);
    if (isAll && piece !== undefined) reading.whole.add(piece);
  }
  for (const { tokens } of from.nested) readQuery(tokens, isAll, reading);
  for (const [name, clause] of clauses) {
    if (name === 'FROM' || name === 'WITH') continue;
    for (const { tokens, isExistence } of splitNested(clause).nested)
      readQuery(tokens, !isExistence, reading);
  }
  // A CTE is used by what follows it.
  for (const item of splitList(clauses.get('WITH') ?? []).toReversed()) {
    const cte = isName(item[0]) && isKeyword(item[1], 'AS') ? nameOf(item[0]) : null;
    for (const { tokens } of splitNested(item).nested)
      readQuery(tokens, cte === null || reading.ctes.has(cte), reading);
  }
}

/** Whether `*`, other than a multiplication and `count(*)`, or `COLUMNS('…')` is among the tokens. */
function hasStar(tokens: Tokens): boolean {
  return tokens.some((token, at) => {
    if (isColumnPattern(tokens, at)) return true;
    const before = tokens[at - 1];
    if (token.text !== '*' || (before?.text === '(' && isKeyword(tokens[at - 2], 'COUNT')))
      return false;
    return (
      at === 0 || isKeyword(before, 'SELECT', 'DISTINCT') || /^[(,.]$/.test(before?.text ?? '')
    );
  });
}
