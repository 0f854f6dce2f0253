/** A service over two nodes, with a table of orders that both have and twelve endpoints over it. */
import { inject } from 'vitest';
import type { Config } from '../../../../src/config/config.ts';
import { openLog } from '../../../../src/config/open-log.ts';
import { openTestApp, type TestApp } from '../../../support/test-app.ts';
import { openTwoNodes, type TwoNodes } from '../../../support/two-nodes.ts';
import { type Body, evenly, save, sync } from '../../support/materialized.ts';

export interface ClusteredApp {
  readonly test: TestApp;
  readonly nodes: TwoNodes;
  /** How the service reaches them. */
  readonly settings: Partial<Config>;
  close(): Promise<void>;
}

const orders = `SELECT toDate('2026-01-01') + number % 90 AS day, ['at', 'de', 'fr', 'it', 'pl'][number % 5 + 1] AS country,
  number % 997 AS customer, toInt64(cityHash64(number) % 10000) AS cents FROM numbers(40000)`;

/** How the service reaches the nodes. */
export interface Way {
  readonly settings: Partial<Config>;
  readonly close?: () => Promise<void>;
}

export async function openClusteredApp(
  openWay: (nodes: TwoNodes) => Way | Promise<Way> = listed,
): Promise<ClusteredApp> {
  const nodes = await openTwoNodes();
  const way = await openWay(nodes);
  const servers = { engine: nodes.shared, postgres: inject('postgres') };
  const test = await openTestApp(way.settings, openLog('silent'), { servers, workerTimes: evenly });
  const database = `project_${test.project.id}`;
  for (const node of [0, 1] as const) {
    await nodes.sql(
      node,
      `CREATE TABLE ${database}.orders (day Date, country String, customer UInt32, cents Int64) ENGINE = MergeTree ORDER BY (country, day)`,
    );
    await nodes.sql(node, `INSERT INTO ${database}.orders ${orders}`);
  }
  return {
    test,
    nodes,
    settings: way.settings,
    async close() {
      await test.close();
      await way.close?.();
      await nodes.stop();
    },
  };
}

export function listed({ urls, cluster }: TwoNodes): Way {
  return { settings: { clickhouseNodes: urls.join(','), clickhouseCluster: cluster } };
}

/** What dashboards ask for, with the kinds of aggregates that are stored in different ways. */
export const twelve: Readonly<Record<string, string>> = {
  total: 'SELECT sum(cents) AS total FROM orders',
  by_day: 'SELECT day, sum(cents) AS total FROM orders GROUP BY day ORDER BY day',
  by_country:
    'SELECT country, count() AS orders, sum(cents) AS total FROM orders GROUP BY country ORDER BY country',
  average: 'SELECT country, avg(cents) AS average FROM orders GROUP BY country ORDER BY country',
  customers: 'SELECT day, uniq(customer) AS customers FROM orders GROUP BY day ORDER BY day',
  exact_customers:
    'SELECT country, uniqExact(customer) AS customers FROM orders GROUP BY country ORDER BY country',
  median:
    'SELECT country, quantileExact(0.5)(cents) AS median FROM orders GROUP BY country ORDER BY country',
  extremes:
    'SELECT country, min(cents) AS least, max(cents) AS most, argMax(day, (cents, day)) AS best FROM orders GROUP BY country ORDER BY country',
  of_country:
    'SELECT day, sum(cents) AS total FROM orders WHERE country = {country:String} GROUP BY day ORDER BY day',
  since:
    'SELECT country, sum(cents) AS total, uniq(customer) AS customers FROM orders WHERE day >= {since:Date} GROUP BY country ORDER BY country',
  months:
    'SELECT toStartOfMonth(day) AS month, country, count() AS orders FROM orders GROUP BY month, country ORDER BY month, country',
  large:
    'SELECT day, country, customer, cents FROM orders WHERE cents > 9990 ORDER BY cents DESC, customer, day LIMIT 50',
};

const variables: Readonly<Record<string, Body>> = {
  of_country: { country: 'de' },
  since: { since: '2026-02-01' },
};

export function variablesOf(name: string): Body {
  return variables[name] ?? {};
}

/** Saves and materializes all of them. Returns how their syncs ended. */
export async function materializeAll(test: TestApp): Promise<readonly string[]> {
  for (const [name, query] of Object.entries(twelve)) {
    await save(test, name, { query, is_materialized: true });
  }
  return sync(test);
}

/** The stored tables of a node by name, with the number and a hash of the rows of each. */
export async function tablesOf(
  { nodes, test }: ClusteredApp,
  node: 0 | 1,
): Promise<ReadonlyMap<string, string>> {
  const database = `project_${test.project.id}`;
  // The same state may be written in two ways.
  const columns = await nodes.sql(
    node,
    `SELECT table, arrayStringConcat(groupArray(if(startsWith(type, 'AggregateFunction('), concat('finalizeAggregation(', name, ')'), name)), ', ')
      FROM system.columns WHERE database = '${database}' AND startsWith(table, '_materialized') GROUP BY table ORDER BY table`,
  );
  const tables = new Map<string, string>();
  for (const line of columns.split('\n').filter((one) => one !== '')) {
    const [name = '', values = ''] = line.split('\t');
    const sql = `SELECT count(), groupBitXor(cityHash64(formatRow('TSV', ${values}))) FROM ${database}.${name}`;
    tables.set(name, await nodes.sql(node, sql));
  }
  return tables;
}
