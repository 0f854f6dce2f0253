/** Replaces the tables that a text reads. Pure; the engine's analysis verifies the result. */
import { applyEdits, type Edit } from '../../../../sql/edits.ts';
import { quoteName } from '../../../../sql/quote-name.ts';
import { closingBracket, isSymbol, type LexedText, nameAt } from '../../guard/parse/lexed-text.ts';

export interface Renaming {
  /** Replacements by the names of the tables: `table`, and `database.table` where the text may name the database. */
  readonly names: ReadonlyMap<string, string>;
  /** Which names after IN are renamed, because such a name may be a column. Default all. */
  readonly isBehindIn?: (name: string) => boolean;
}

/**
 * Keywords that begin a clause in which a name is not a table. Excludes ON, because a table follows the comma after its
 * condition.
 */
const CLAUSES: ReadonlySet<string> = new Set(
  'SELECT WITH PREWHERE WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET USING ARRAY UNION INTERSECT EXCEPT SETTINGS INTERPOLATE'.split(
    ' ',
  ),
);
/** Keywords after a table that are not its alias. */
const NO_ALIAS: ReadonlySet<string> = new Set([
  ...CLAUSES,
  ...'ON FROM FINAL SAMPLE LEFT RIGHT INNER FULL CROSS JOIN GLOBAL ANY ALL ASOF SEMI ANTI PASTE NATURAL OUTER AND OR NOT IN IS LIKE ILIKE BETWEEN THEN ELSE END WHEN FORMAT FETCH ASC DESC REGEXP DIV MOD'.split(
    ' ',
  ),
]);

/** A table keeps its name as an alias, so that `events.id` still means its column. */
export function renameTables(text: LexedText, renaming: Renaming): string {
  const edits: Edit[] = [];
  const shadows = findShadows(text, renaming);
  const reads: boolean[] = [false];
  for (let at = 0; at < text.tokens.length; at += 1) {
    if (isSymbol(text, at, '(') || isSymbol(text, at, '[')) reads.push(false);
    else if (isSymbol(text, at, ')') || isSymbol(text, at, ']')) reads.pop();
    const word = wordAt(text, at);
    const isArrayJoin = word === 'JOIN' && wordAt(text, at - 1) === 'ARRAY';
    if (CLAUSES.has(word) || isArrayJoin) reads[reads.length - 1] = false;
    else if (word === 'FROM' || word === 'JOIN') reads[reads.length - 1] = true;
    const isIn = standsBehindIn(text, at) && (renaming.isBehindIn?.(nameAt(text, at)) ?? true);
    const isRead = /^(?:FROM|JOIN)$/.test(wordAt(text, at - 1)) || isSymbol(text, at - 1, ',');
    if (isIn || (isRead && reads.at(-1) === true)) {
      edits.push(...editOf(text, at, { renaming, shadows, isIn }));
    }
  }
  return applyEdits(text.sql, edits);
}

/** Also in brackets of its own, as a formatted text has it. */
function standsBehindIn(text: LexedText, at: number): boolean {
  if (wordAt(text, at - 1) === 'IN') return true;
  const isBracketed = isSymbol(text, at - 1, '(') && wordAt(text, at - 2) === 'IN';
  return isBracketed && [1, 3].some((length) => isSymbol(text, at + length, ')'));
}

interface Place {
  readonly renaming: Renaming;
  readonly shadows: readonly Shadow[];
  readonly isIn: boolean;
}

function editOf(
  text: LexedText,
  at: number,
  { renaming: { names }, shadows, isIn }: Place,
): readonly Edit[] {
  const isQualified = isSymbol(text, at + 1, '.');
  const last = isQualified ? at + 2 : at;
  const name = nameAt(text, last);
  const renamed = names.get(isQualified ? `${nameAt(text, at)}.${name}` : name);
  const [from, to] = [text.tokens[at], text.tokens[last]];
  if (renamed === undefined || from === undefined || to === undefined) return [];
  if (isSymbol(text, last + 1, '.') || isSymbol(text, last + 1, '(')) return [];
  const isShadowed = shadows.some((shadow) => shadow.name === name && !isWithin(shadow, at));
  if (!isQualified && isShadowed) return [];
  const alias = isIn || hasAlias(text, last + 1) ? '' : ` AS ${quoteName(name)}`;
  return [{ start: from.start, end: to.end, text: `${renamed}${alias}` }];
}

function hasAlias(text: LexedText, at: number): boolean {
  if (text.tokens[at]?.kind === 'name') return true;
  const word = wordAt(text, at);
  return word !== '' && !NO_ALIAS.has(word);
}

/** A CTE with the name of a table hides it, except within its own text. */
interface Shadow {
  readonly name: string;
  readonly open: number;
  readonly close: number;
}

const isWithin = ({ open, close }: Shadow, at: number) => at > open && at < close;

function findShadows(text: LexedText, { names }: Renaming): readonly Shadow[] {
  return text.tokens.flatMap((_token, at) => {
    const name = nameAt(text, at);
    const isNamed = names.has(name) && wordAt(text, at + 1) === 'AS' && isSymbol(text, at + 2, '(');
    const isFirst = /^(?:WITH|RECURSIVE)$/.test(wordAt(text, at - 1));
    if (!isNamed || !(isFirst || isSymbol(text, at - 1, ','))) return [];
    return [{ name, open: at + 2, close: closingBracket(text, at + 2) }];
  });
}

/** Upper case; empty for anything but an unquoted word. */
function wordAt(text: LexedText, at: number): string {
  return text.tokens[at]?.kind === 'word' ? nameAt(text, at).toUpperCase() : '';
}
