/**
 * A table that sets the greatest groups apart, so that a read of the greatest ones looks at few rows. See `TopGroups`.
 * Pure.
 */
import {
  type MaterializationPlan,
  storedTable,
  type TopGroups,
  topColumn,
} from '../../model/materialization-plan.ts';
import { readCondition } from './read-condition.ts';

/** @param threshold a positive number. */
export function topPlan(
  plan: MaterializationPlan,
  topGroups: TopGroups,
  threshold: string,
): MaterializationPlan {
  return {
    ...plan,
    storedQuery: rankedQuery(plan.storedQuery, topGroups, threshold),
    readQuery: readOfTop(plan.readQuery, topGroups, threshold),
    sortingKey: [topColumn, ...plan.sortingKey],
    topThreshold: threshold,
  };
}

/** A group's total adds up absolute values, so that no part of it is greater, and none overflows. */
function rankedQuery(
  storedQuery: string,
  { absolute, keys, chosen, scale }: TopGroups,
  threshold: string,
): string {
  const total = `sum(${absolute}) OVER (PARTITION BY ${[...keys, ...chosen].join(', ')})`;
  return `SELECT *, ${total} >= ${literal(threshold, scale)} AS ${topColumn} FROM (${storedQuery})`;
}

/** Reads the other groups too unless enough of the top ones reach the threshold in this run. */
function readOfTop(
  readQuery: string,
  { column, groupBy, rows, scale }: TopGroups,
  threshold: string,
): string {
  const total = '__querydock_total';
  const where = `WHERE (${topColumn} = 1) AND ${readCondition(readQuery) ?? '1'}`;
  const totals = `SELECT sum(${column}) AS ${total} FROM ${storedTable} ${where} GROUP BY ${groupBy} ORDER BY ${total} DESC LIMIT ${rows}`;
  const isShort = `(SELECT (count() < ${rows}) OR (min(${total}) < ${literal(threshold, scale)}) FROM (${totals}))`;
  const condition = `((${topColumn} = 1) OR ${isShort})`;
  return readQuery.replace(`${storedTable} WHERE `, () => `${storedTable} WHERE ${condition} AND `);
}

function literal(threshold: string, scale: number | null): string {
  return scale === null ? `toInt256('${threshold}')` : `toDecimal256('${threshold}', ${scale})`;
}
