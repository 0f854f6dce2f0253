/** Parses GROUP BY so that its keys can be replaced by stored columns. */
import { refuse } from '../refusal.ts';
import {
  addedAt,
  closingBracketOf,
  hasKeyword,
  isKeyword,
  splitList,
  type Tokens,
} from '../text/tokens.ts';

interface GroupBy {
  /** Distinct. */
  readonly keys: readonly Tokens[];
  readonly isPlain: boolean;
  /** @param columns the stored columns of the keys, in order. */
  readonly render: (columns: readonly string[]) => string;
}

/** Throws Refusal for TOTALS, whose row is not part of the result rows. */
export function parseGroupBy(groupBy: Tokens): GroupBy {
  if (hasKeyword(groupBy.slice(-2), 'TOTALS')) {
    refuse(
      'WITH TOTALS cannot be materialized with variables; write WITH ROLLUP, or leave it out.',
    );
  }
  if (groupBy.length === 1 && isKeyword(groupBy[0], 'ALL')) {
    refuse('GROUP BY ALL beside * cannot be materialized with variables; list the expressions.');
  }
  const [before, last] = groupBy.slice(-2);
  if (isKeyword(before, 'WITH') && isKeyword(last, 'ROLLUP', 'CUBE')) {
    const keys = splitList(groupBy.slice(0, -2)).flatMap(membersOf);
    const modifier = ` WITH ${last?.text ?? ''}`;
    return { keys, isPlain: false, render: (columns) => `${columns.join(', ')}${modifier}` };
  }
  if (isKeyword(groupBy[0], 'GROUPING') && isKeyword(groupBy[1], 'SETS')) return parseSets(groupBy);
  return {
    keys: splitList(groupBy).flatMap(membersOf),
    isPlain: true,
    render: (columns) => columns.join(', '),
  };
}

/** The engine groups by the members of a tuple that is written as a key. */
function membersOf(key: Tokens): readonly Tokens[] {
  const isBracket = key[0]?.text === '(' && closingBracketOf(key, 0) === key.length - 1;
  if (!isBracket || isKeyword(key[1], 'SELECT', 'WITH')) return [key];
  const members = splitList(key.slice(1, -1));
  const isTuple = members.length > 1 && members.every((member) => member.length > 0);
  return isTuple ? members : [key];
}

function parseSets(groupBy: Tokens): GroupBy {
  const keys: Tokens[] = [];
  const sets = splitList(groupBy.slice(3, closingBracketOf(groupBy, 2))).map((set) => {
    const isList = set[0]?.text === '(' && closingBracketOf(set, 0) === set.length - 1;
    return splitList(isList ? set.slice(1, -1) : set).map((key) => addedAt(key, keys));
  });
  const render = (columns: readonly string[]) =>
    `GROUPING SETS (${sets.map((set) => `(${set.map((at) => columns[at]).join(', ')})`).join(', ')})`;
  return { keys, isPlain: false, render };
}
