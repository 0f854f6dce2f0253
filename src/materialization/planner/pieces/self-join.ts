/** Joins of a table, CTE or subquery with itself, for example this year's sales with last year's. */
import { hasVariable } from '../text/parameters.ts';
import { conjuncts, isName, nameOf, type Tokens, textOf } from '../text/tokens.ts';
import { parseFrom } from './query-text.ts';

/**
 * Whether copies of one source are equi-joined on a column, and variables filter several of the copies. The join
 * holds all pairs, triples and so on of rows with the same value, of which a run uses few, so the source itself is
 * smaller.
 */
export function joinsItself(from: Tokens, where: Tokens): boolean {
  const named = (parseFrom(from)?.sources ?? []).flatMap(({ kind, body, name }) =>
    kind === 'function' || name === null ? [] : [{ name, text: textOf(body) }],
  );
  const copies = [...Map.groupBy(named, ({ text }) => text).values()];
  if (copies.every((list) => list.length < 2)) return false;
  const classes = equalColumns([...from, ...where]);
  return copies.some((list) => {
    const names = new Set(list.map(({ name }) => name));
    const chosen = [...names].filter((name) => isChosen(name, names, where));
    return classes.some((columns) => hasSeveral(columns, chosen));
  });
}

/** Whether a predicate with a variable uses this copy only. */
function isChosen(name: string, copies: ReadonlySet<string>, where: Tokens): boolean {
  return conjuncts(where).some((condition) => {
    const used = columnsIn(condition).filter(({ source }) => copies.has(source));
    return hasVariable(condition) && used.length > 0 && used.every(({ source }) => source === name);
  });
}

interface QualifiedColumn {
  readonly source: string;
  readonly column: string;
}

function columnsIn(tokens: Tokens): readonly QualifiedColumn[] {
  return tokens.flatMap((_token, at) => columnAt(tokens, at) ?? []);
}

function columnAt(tokens: Tokens, at: number): QualifiedColumn | null {
  const [source, dot, column] = tokens.slice(at, at + 3);
  const isWhole = at >= 0 && tokens[at - 1]?.text !== '.';
  if (!isWhole || !isName(source) || dot?.text !== '.' || !isName(column)) return null;
  return { source: nameOf(source), column: nameOf(column) };
}

/** Equivalence classes of columns compared by `=`, transitively. */
function equalColumns(tokens: Tokens): readonly (readonly QualifiedColumn[])[] {
  let classes: readonly (readonly QualifiedColumn[])[] = [];
  tokens.forEach((token, at) => {
    const [left, right] = [columnAt(tokens, at - 3), columnAt(tokens, at + 1)];
    if (token.text !== '=' || left === null || right === null) return;
    const isOne = (columns: readonly QualifiedColumn[]) =>
      columns.some((each) => isSame(each, left) || isSame(each, right));
    const joined = [left, right, ...classes.filter(isOne).flat()];
    classes = [...classes.filter((columns) => !isOne(columns)), joined];
  });
  return classes;
}

const isSame = (a: QualifiedColumn, b: QualifiedColumn) =>
  a.source === b.source && a.column === b.column;

/** Whether the class contains the same column of several of these sources. */
function hasSeveral(columns: readonly QualifiedColumn[], sources: readonly string[]): boolean {
  const own = columns.filter(({ source }) => sources.includes(source));
  return own.some((one) =>
    own.some((other) => other.column === one.column && other.source !== one.source),
  );
}
