/**
 * Layout for queries with variables in arbitrary places: as much of the query as needs no variable (reading,
 * filtering, joining, grouping) is stored, and a read is the query itself over those stored tables.
 */
import type { MaterializationPlan } from '../../../model/materialization-plan.ts';
import { readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import type { DescribedColumn } from '../../../sql/sql-analysis.ts';
import { OF_STORAGE } from '../../../sql/virtual-columns.ts';
import { requireStorable } from '../column-types.ts';
import { checkSelects } from '../layout/checked-selects.ts';
import { guardedColumns, zeroChecks } from '../layout/zero-guards.ts';
import type { QueryContext } from '../plan-context.ts';
import { comparedInConditions } from '../planned-predicates.ts';
import { isRefusal, refuse } from '../refusal.ts';
import { withVariablesInPlace } from '../same-query.ts';
import { anyOrderOf } from '../sorting-key.ts';
import { withSourceChecks } from '../source-checks.ts';
import { hasNamesakes } from '../subcolumn-namesakes.ts';
import { hasVariable } from '../text/parameters.ts';
import { parseSelect } from '../text/select.ts';
import { isKeyword, isName, nameOf, splitList, type Tokens, textOf } from '../text/tokens.ts';
import type { Node } from '../tree/canonical-node.ts';
import { canonicalize } from '../tree/canonicalize.ts';
import {
  requireOrderFree,
  requireSameGroupsWithin,
  zeroChoicesWithin,
} from '../tree/filter-safety.ts';
import { findPieceDifference } from '../tree/piece-equivalence.ts';
import { requireRepeatable } from '../tree/repeatability.ts';
import type { ZeroChoice } from '../tree/signed-zero.ts';
import { withoutUnusedExpressions } from '../tree/unused-columns.ts';
import { type ColumnUses, columnUses } from './column-uses.ts';
import { isOfSubqueries } from './piece-comparisons.ts';
import { rollUpsOfPieces } from './piece-roll-ups.ts';
import {
  conditionsOf,
  type Piece,
  type PieceOptions,
  type Splitting,
  tableOf,
  type UsedColumns,
} from './pieces.ts';
import { splitSetOperations } from './query-text.ts';
import { sortPieces } from './sorting.ts';
import { splitQuery } from './split-query.ts';
import { usedColumns } from './used-columns.ts';

/** Tried in order, starting with the most work done before storing. */
const attempts: readonly PieceOptions[] = [
  { states: true, groups: true, joins: true },
  { states: false, groups: true, joins: true },
  { states: false, groups: false, joins: true },
  { states: false, groups: false, joins: false },
];

/** Only what the tables hold, so that a read computes everything. */
export const columnAttempts = attempts.slice(-1);

/**
 * @param given the query in the engine's formatting.
 * @returns null if there is nothing to try. Throws Refusal for a query that no attempt can handle.
 */
export async function planPieces(
  given: Tokens,
  query: QueryContext,
  tried = attempts,
): Promise<MaterializationPlan | null> {
  const { analysis, parameters, names } = query;
  const written = await withVariablesInPlace(given, query);
  requireOwnColumns(written);
  const root = readQueryTree(await analysis.tree(textOf(written), parameters.samples))?.[0];
  if (root === undefined) return refuse('The engine does not say what this query does.');
  const original = canonicalize(root, names);
  const used = canonicalize(withoutUnusedExpressions(root), names);
  const groups = await checkSelects(used, written, query);
  requireRepeatable(used, query, { keepsOrder: true, checked: groups.queries });
  const choices = requireOrderFree(original);
  const columns = await analysis.describe(textOf(written), parameters.samples);
  requireStorable(columns);
  let refusal: unknown = null;
  for (const options of tried) {
    const attempt = { written, tree: root, original, columns, options, choices };
    for (const used of await columnsToTry(attempt, query)) {
      try {
        const plan = await planSplit(attempt, used, query);
        if (plan !== null) return withSourceChecks(plan, groups.checks);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refusal = error;
      }
    }
  }
  if (refusal !== null) throw refusal;
  return null;
}

interface Attempt {
  readonly written: Tokens;
  readonly tree: TreeNode;
  /** The tree in canonical form. */
  readonly original: Node;
  readonly columns: readonly DescribedColumn[];
  readonly options: PieceOptions;
  readonly choices: readonly ZeroChoice[];
}

/** The columns to store, fewest first; none if the query cannot be split. */
async function columnsToTry(
  attempt: Attempt,
  query: QueryContext,
): Promise<readonly UsedColumns[]> {
  const { written } = attempt;
  const whole = splittingOf(attempt, null, query);
  try {
    const text = await splitQuery(written, whole);
    if (attempt.options.states && !whole.pieces.some(isOfStates)) return [];
    const read = await query.analysis.tokens(text);
    const fewest = usedColumns(read, whole.pieces, false);
    const starred = usedColumns(read, whole.pieces, true);
    return fewest.whole.size === starred.whole.size ? [fewest] : [fewest, starred];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return [];
  }
}

const isOfStates = ({ kind }: Piece) => kind === 'states';

function splittingOf(
  { written, options, choices }: Attempt,
  used: UsedColumns | null,
  query: QueryContext,
): Splitting {
  const describe = (sql: string) => query.analysis.describe(sql, query.parameters.samples);
  return {
    query,
    options,
    describe,
    guarded: guardedColumns(choices.filter((choice) => isGuarded(choice, used))),
    ...namesIn(written),
    used,
    pieces: [],
    conditions: [],
    merging: [],
  };
}

/** `*` would also select the guards. */
function isGuarded({ isDirect }: ZeroChoice, used: UsedColumns | null): boolean {
  return isDirect && (used === null || used.whole.size === 0);
}

/** Null for a query that reads no table. */
async function planSplit(
  attempt: Attempt,
  used: UsedColumns,
  query: QueryContext,
): Promise<MaterializationPlan | null> {
  const { written, columns, tree, choices } = attempt;
  const splitting = splittingOf(attempt, used, query);
  const readQuery = await splitQuery(written, splitting);
  const { pieces } = splitting;
  const [first, ...others] = pieces;
  if (first === undefined) return null;
  for (const piece of pieces) {
    requireStorable(piece.columns.map((each) => ({ ...each, name: `stored ${each.name}` })));
  }
  const hasStates = pieces.some(isOfStates);
  if (hasStates) requireSameGroupsWithin(attempt.original);
  const { choices: ofPieces, uses } = await requireSameMeaning(
    { tree, columns, readQuery },
    splitting,
  );
  const isUnguarded = (choice: ZeroChoice) => hasStates || !isGuarded(choice, used);
  const unguarded = choices.filter(isUnguarded);
  const sorted = await sortPieces(splitting, { readQuery, uses });
  const { keys, predicates } = sorted;
  const [firstKey, ...otherKeys] = keys;
  const rollUps = await rollUpsOfPieces(
    splitting,
    keys.map(({ sortingKey }) => sortingKey),
    sorted.hidden,
  );
  const conditions = splitting.merging.flatMap(({ piece, partial, nameOf }) =>
    comparedInConditions({ conditions: conditionsOf(partial), nameOf }, query.parameters).map(
      (one) => ({ ...one, table: piece }),
    ),
  );
  const furtherTables = others.map(({ storedQuery }, at) => ({
    storedQuery,
    sortingKey: otherKeys[at]?.sortingKey ?? [],
  }));
  const plan = {
    storedQuery: first.storedQuery,
    sortingKey: firstKey?.sortingKey ?? [],
    ...anyOrderOf(keys),
    ...(rollUps.length === 0 ? {} : { rollUps }),
    readQuery: query.parameters.restore(sorted.readQuery),
    predicates,
    ...(conditions.length === 0 ? {} : { conditions }),
    aggregates: [],
    furtherTables,
  };
  return withSourceChecks(plan, zeroChecks([...unguarded, ...ofPieces]));
}

type Names = Pick<Splitting, 'aliases' | 'ctes' | 'scalars' | 'with'>;

function namesIn(written: Tokens): Names {
  const aliases = new Set<string>();
  const ctes = new Set<string>();
  written.forEach((token, at) => {
    const next = written[at + 1];
    if (isKeyword(token, 'AS') && isName(next)) aliases.add(nameOf(next));
    const isCte = isName(token) && isKeyword(next, 'AS') && written[at + 2]?.text === '(';
    if (isCte) ctes.add(nameOf(token));
  });
  return { aliases, ctes, ...namedByWith(written) };
}

function namedByWith(written: Tokens): Pick<Splitting, 'scalars' | 'with'> {
  if (!isKeyword(written[0], 'WITH') || splitSetOperations(written).length > 1)
    return { scalars: new Set(), with: '' };
  const clause = parseSelect(written).clauses.get('WITH') ?? [];
  const scalars = new Set<string>();
  for (const part of splitList(clause)) {
    const name = part.at(-1);
    const isNamed = isName(name) && isKeyword(part.at(-2), 'AS');
    if (isNamed && isOfSubqueries(part.slice(0, -2), scalars)) scalars.add(nameOf(name));
  }
  return { scalars, with: `WITH ${textOf(clause)} ` };
}

/** A stored table has its rows in other places. */
function requireOwnColumns(tokens: Tokens): void {
  const found = tokens.find((token) => isName(token) && OF_STORAGE.test(nameOf(token)));
  if (found === undefined || hasVariable([found])) return;
  if (nameOf(found) !== '_sample_factor')
    refuse(`The column ${found.text} tells where a row is stored; leave it out.`);
  refuse('The column _sample_factor is not stored; write its number, as 10 for SAMPLE 1/10.');
}

const GET_SUBCOLUMN = /function_name: getSubcolumn\b/;

/** CTE name that marks a piece's expressions in the tree. */
const cteOf = (piece: number) => `__querydock_piece_${piece}`;

interface PlannedRead {
  readonly tree: TreeNode;
  readonly columns: readonly DescribedColumn[];
  readonly readQuery: string;
}

/** Requires the read, with its pieces as CTEs, to be equivalent to the query. Returns the choices of the pieces. */
async function requireSameMeaning(
  { tree, columns, readQuery }: PlannedRead,
  { pieces, query: { analysis, parameters, names } }: Splitting,
): Promise<{ readonly choices: readonly ZeroChoice[]; readonly uses: ColumnUses }> {
  const checked = pieces.reduceRight((text, { storedQuery }, at) => {
    const cte = `(WITH ${cteOf(at)} AS (${storedQuery}) SELECT * FROM ${cteOf(at)})`;
    return text.replaceAll(tableOf(at), () => cte);
  }, readQuery);
  const samples = parameters.samples;
  const lines = await analysis.tree(checked, samples);
  const compared = await Promise.all(
    pieces.map(async ({ kind, storedQuery }, at) => ({
      name: cteOf(at),
      kind,
      lines: await analysis.tree(storedQuery, {}),
    })),
  );
  const choices = compared.flatMap(({ lines: own }) => {
    const [root] = readQueryTree(own) ?? [];
    return root === undefined ? [] : zeroChoicesWithin(canonicalize(root, names));
  });
  const compare = (hasSubcolumns: boolean) =>
    findPieceDifference({ original: tree, lines, pieces: compared, hasSubcolumns }, names);
  const difference = compare(false);
  const isSame =
    difference === null ||
    (lines.some((line) => GET_SUBCOLUMN.test(line)) &&
      compare(true) === null &&
      !(await hasNamesakes(lines, analysis)));
  if (!isSame) {
    refuse(
      `The engine understands ${difference} of this query in another way than its stored tables could answer it; give every expression and table a name of its own.`,
    );
  }
  const read = await analysis.describe(checked, samples);
  const hasSameColumns = columns.every(
    ({ name, type }, at) => read[at]?.name === name && read[at]?.type === type,
  );
  if (!hasSameColumns || read.length !== columns.length) {
    refuse('A column would be read back with another type or name; give it a name with AS.');
  }
  const pieceOf = (cte: string) => compared.findIndex(({ name }) => name === cte);
  return { choices, uses: columnUses(lines, pieceOf) };
}
