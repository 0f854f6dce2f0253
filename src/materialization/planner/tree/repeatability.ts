/** Whether a query gives the same result every time it runs on the same rows. */
import type { CatalogFunction } from '../../../sql/sql-analysis.ts';
import { refuse } from '../refusal.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import {
  isNonDeterministic,
  isTimeFunction,
  refuseNonDeterministic,
  refuseTime,
} from '../text/determinism.ts';
import { aggregatesOf, isAggregate, isWindow } from './canonical-functions.ts';
import { hasPart, type Node, partOf, walk } from './canonical-node.ts';
import { requireOrderInsensitiveAggregates } from './order-sensitivity.ts';

interface Functions {
  readonly names: AggregateNames;
  readonly catalog: readonly CatalogFunction[];
}

interface Repetition {
  /** Whether queries that read a sorted subquery are evaluated together with it, as in the original query. */
  readonly keepsOrder: boolean;
}

/** Throws Refusal unless rerunning the query on the same rows gives the same result. */
export function requireRepeatable(
  original: Node,
  { names, catalog }: Functions,
  repetition: Repetition,
): void {
  const listed = new Set(
    catalog.flatMap(({ name, isDeterministic }) =>
      isNonDeterministic(name, isDeterministic) ? [name.toLowerCase()] : [],
    ),
  );
  const isOther = (name: string) =>
    listed.has(name.toLowerCase()) || isNonDeterministic(name, null);
  requireDeterministicFunctions(original, '', isOther);
  requireOrderInsensitiveAggregates(original, names, repetition);
  requireOrderedLimits(original);
  for (const node of walk(original)) {
    requireOrderedWindow(node);
    requireSameText(node);
  }
}

/** Allows unordered LIMIT in EXISTS, which accepts any row; the engine writes it as a subquery with LIMIT. */
function requireOrderedLimits(original: Node): void {
  const anyRow = new Set<Node>([original]);
  for (const node of walk(original)) {
    if (node.kind === 'FUNCTION' && node.name === 'exists') {
      for (const query of partOf(node, 'ARGUMENTS')) anyRow.add(query);
    }
    const isLimited = ['LIMIT', 'OFFSET', 'LIMIT BY'].some((part) => hasPart(node, part));
    const isFixed = anyRow.has(node) || hasPart(node, 'ORDER BY') || isOneRow(node);
    if (node.kind !== 'QUERY' || !isLimited || isFixed) continue;
    refuse(
      'A subquery with LIMIT but without ORDER BY takes any rows; add an ORDER BY so that it takes the same each time.',
    );
  }
}

function isOneRow(query: Node): boolean {
  return !hasPart(query, 'GROUP BY') && aggregatesOf(query).length > 0;
}

/** @param part clause of the innermost enclosing query that reads a table. */
function requireDeterministicFunctions(
  node: Node,
  part: string,
  isOther: (name: string) => boolean,
): void {
  if (node.kind === 'FUNCTION' && !isAggregate(node) && !isWindow(node)) {
    if (isTimeFunction(node.name)) {
      if (part !== 'WHERE' && part !== 'PREWHERE') refuseTime(node.name);
    } else if (isOther(node.name)) {
      refuseNonDeterministic(node.name);
    }
  }
  const isOfTables = node.kind === 'QUERY' && readsTable(node);
  for (const arg of node.args) {
    const isOfQuery = isOfTables && arg.kind === 'part';
    requireDeterministicFunctions(arg, isOfQuery ? arg.name : part, isOther);
  }
}

/** False for `SELECT today() - 7`, whose value belongs where it is used. */
function readsTable(query: Node): boolean {
  for (const node of walk(query)) {
    const isSource = node.kind === 'TABLE' || node.kind === 'TABLE_FUNCTION';
    if (isSource && !/\bsystem\.one\b/.test(`${node.name} ${node.detail}`)) return true;
  }
  return false;
}

const WRITES_JSON = /^(toJSONString|formatRow(NoNewline)?)$/;
const WRITES_TEXT = /^(toString|_?CAST|accurateCast\w*|concat\w*|format)$/;
const LONG_INTEGER = /\bU?Int(64|128|256)\b/;
const OF_ANY_TYPE = /\b(JSON|Dynamic)\b/;

/** Whether 64-bit integers are quoted in JSON depends on the run, also where the query itself writes it as text. */
function requireSameText({ kind, name, args }: Node): void {
  if (kind !== 'FUNCTION') return;
  const types = args.flatMap((part) => part.args.map(({ type }) => type));
  const isOf = (pattern: RegExp) => types.some((type) => pattern.test(type));
  const writesIntegers = WRITES_JSON.test(name) && (isOf(LONG_INTEGER) || isOf(OF_ANY_TYPE));
  if (!writesIntegers && !(WRITES_TEXT.test(name) && isOf(/\bJSON\b/))) return;
  refuse(
    `The text that ${name} writes depends on how a run wants 64-bit integers written (\`integers\`); write them as toString(…) or toFloat64(…) within it, or return the value itself.`,
  );
}

const orderedWindowFunctions = new Set(
  (
    'row_number lag lead lagInFrame leadInFrame ntile any anyLast any_respect_nulls anyLast_respect_nulls nth_value ' +
    'nonNegativeDerivative groupArray'
  ).split(' '),
);

/** Of neighboring rows; a frame of all rows is the same in any order. */
const FRAME_OF_ROWS =
  /frame_type: (ROWS|GROUPS)\b(?!, frame_begin_type: unbounded preceding, frame_end_type: unbounded following)/;

function requireOrderedWindow(node: Node): void {
  if (!isWindow(node)) return;
  const windows = partOf(node, 'WINDOW');
  const needsOrder =
    orderedWindowFunctions.has(node.name) ||
    windows.some(({ detail }) => FRAME_OF_ROWS.test(detail));
  if (!needsOrder || windows.some((window) => hasPart(window, 'ORDER BY'))) return;
  refuse(
    `The window of ${node.name} has no ORDER BY, so that any row may be the first; write one into it.`,
  );
}
