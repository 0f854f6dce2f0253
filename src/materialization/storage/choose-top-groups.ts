/** Estimates from the data whether a table should set its greatest groups apart, and from which total on. */
import type { MaterializationPlan, TopGroups } from '../../model/materialization-plan.ts';
import type { MaterializationDeps } from '../deps.ts';
import { costOfTop, isWorthTop, shareOfRange, type TopSizes } from './expected-saving.ts';
import { type ChosenStorage, readNumbers, type StorageRequest } from './measure-storage.ts';
import { topPlan } from './top-plan.ts';

/** A typical run reaches this share of the totals over all times; runs over shorter ranges need a lower threshold. */
const typicalShare = shareOfRange;
const thresholdShare = typicalShare / 2;

/** Null if it is not worth it. */
export async function chooseTopGroups(
  deps: MaterializationDeps,
  request: StorageRequest,
): Promise<ChosenStorage | null> {
  const { plan } = request;
  const { topGroups } = plan;
  if (topGroups === undefined) return null;
  const threshold = await chooseThreshold(deps, request, topGroups);
  if (threshold === null) return null;
  const cost = costOfTop(await measure(deps, request, { topGroups, threshold }));
  if (!isWorthTop(cost)) return null;
  return { plan: topPlan(plan, topGroups, threshold), ms: cost.after };
}

/** A share of the total of the last group that decides a result, by the values that runs choose. */
async function chooseThreshold(
  deps: MaterializationDeps,
  request: StorageRequest,
  topGroups: TopGroups,
): Promise<string | null> {
  const values = valuesOf(request.plan, topGroups, '0');
  const sql = `SELECT quantileExactWeighted(0.5)(last, toUInt64(rows)) FROM (${values}) WHERE last > 0`;
  const [last = 0] = await readNumbers(deps, request, sql);
  const threshold = last * thresholdShare;
  const { scale } = topGroups;
  // Exponents are for numbers that leave no room for greater ones.
  const text = scale === null ? Math.floor(threshold).toFixed(0) : threshold.toFixed(scale);
  return Number.isFinite(threshold) && Number(text) > 0 && /^[\d.]+$/.test(text) ? text : null;
}

async function measure(
  deps: MaterializationDeps,
  request: StorageRequest,
  { topGroups, threshold }: { readonly topGroups: TopGroups; readonly threshold: string },
): Promise<TopSizes> {
  const values = valuesOf(request.plan, topGroups, threshold);
  const isShort = `last * ${typicalShare} < ${threshold}`;
  const mean = (rows: string) => `sum(rows * ${rows}) / sum(rows)`;
  const items = [mean('rows'), mean('top'), mean(`if(${isShort}, rows, 0)`)];
  const sql = `SELECT ${items.join(', ')} FROM (${values})`;
  const [rows = 0, topRows = 0, otherRows = 0] = await readNumbers(deps, request, sql);
  return { rows, topRows, otherRows };
}

/** For each choice of values: its rows, those of the top groups, and the total of the last group that decides a result. */
function valuesOf(
  { storedQuery }: MaterializationPlan,
  { absolute, keys, chosen, rows }: TopGroups,
  threshold: string,
): string {
  const groups = `SELECT ${[...chosen, 'count() AS own', `toFloat64(sum(${absolute})) AS total`].join(', ')} FROM (${storedQuery}) GROUP BY ${[...chosen, ...keys].join(', ')}`;
  const items = [
    'sum(toFloat64(own)) AS rows',
    `sumIf(toFloat64(own), total >= ${threshold}) AS top`,
    // 0 if there are fewer groups.
    `-(groupArraySorted(${rows})(-total)[${rows}]) AS last`,
  ];
  const by = chosen.length === 0 ? '' : ` GROUP BY ${chosen.join(', ')}`;
  return `SELECT ${items.join(', ')} FROM (${groups})${by}`;
}
