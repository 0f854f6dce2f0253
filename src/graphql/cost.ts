/**
 * The cost of a selection in points, as a function of the request's variables. Constants are folded when a document is
 * measured, so evaluating a known document takes a few multiplications. Pure.
 */

/** The value of a variable; undefined when it is absent and has no default. */
export type ReadVariable = (name: string) => unknown;

/** The row count of a list: fixed by the document, or by variables. */
export type RowCount = number | ((read: ReadVariable) => number);

/** `points`, plus the cost of `parts` for each of their rows. */
export interface Cost {
  readonly points: number;
  readonly parts: readonly CostPart[];
}

interface CostPart {
  readonly rows: RowCount;
  readonly perRow: Cost;
}

export function costOf(points: number): Cost {
  return { points, parts: [] };
}

export function addCosts(a: Cost, b: Cost): Cost {
  const points = a.points + b.points;
  if (a.parts.length === 0 && b.parts.length === 0) return { points, parts: [] };
  return { points, parts: [...a.parts, ...b.parts] };
}

/** The cost for all rows. A row costs at least a point, because it is read whatever is selected of it. */
export function multiplyCost(cost: Cost, rows: RowCount): Cost {
  const perRow = cost.points === 0 && cost.parts.length === 0 ? costOf(1) : cost;
  if (typeof rows === 'number' && perRow.parts.length === 0) return costOf(rows * perRow.points);
  return { points: 0, parts: [{ rows, perRow }] };
}

/** The same cost as a single part, so that a fragment's parts are not copied to each use. */
export function shareCost(cost: Cost): Cost {
  return cost.parts.length === 0 ? cost : { points: 0, parts: [{ rows: 1, perRow: cost }] };
}

/** The cost for these variable values. */
export function evaluateCost(cost: Cost, read: ReadVariable): number {
  return evaluate(cost, (rows) => (typeof rows === 'number' ? rows : rows(read)));
}

/** The cost if every variable made its list as short as possible. */
export function leastCost(cost: Cost): number {
  return evaluate(cost, (rows) => (typeof rows === 'number' ? rows : 1));
}

/** Evaluates each cost once, so that nested fragments cannot make this expensive. */
function evaluate(cost: Cost, rowsOf: (rows: RowCount) => number): number {
  const known = new Map<Cost, number>();
  const pointsOf = (of: Cost): number => {
    if (of.parts.length === 0) return of.points;
    const found = known.get(of);
    if (found !== undefined) return found;
    let value = of.points;
    for (const { rows, perRow } of of.parts) value += rowsOf(rows) * pointsOf(perRow);
    known.set(of, value);
    return value;
  };
  return pointsOf(cost);
}
