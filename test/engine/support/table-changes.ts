/** Tables of a service over two nodes: loaded and dropped, and what each node then has. */
import { tmpdir } from 'node:os';
import path from 'node:path';
import { querydockProcess } from '../../cli/support/processes.ts';
import type { ClusteredApp } from '../../materialization/cluster/support/clustered-app.ts';

export const csv = 'id,name\n1,one\n2,two\n3,three\n';
/** Another load of the same table. */
export const csv4 = 'id,name\n4,four\n';
export const written4 = '4,"four"\n';
export const rows = [
  [1, 'one'],
  [2, 'two'],
  [3, 'three'],
];
export const written = '1,"one"\n2,"two"\n3,"three"\n';

export function tableChanges(world: () => ClusteredApp) {
  async function load(table: string, mode = '', body = csv) {
    const { test } = world();
    const { key } = await test.issueKey({ scopes: ['data:write'], projects: [test.project] });
    const query = mode === '' ? '' : `?mode=${mode}`;
    const headers = { 'content-type': 'text/csv' };
    const response = await test.rest('PUT', `/tables/${table}/rows${query}`, {
      body,
      headers,
      key,
    });
    return { status: response.status, ...response.body };
  }

  /** By the command, as another process that has the same settings. */
  async function drop(table: string) {
    const { test, nodes, settings } = world();
    const { connectionString = '' } = test.backends.metadata.connection;
    const args = ['data', 'drop', table, '--project', `${test.project.id}`, '--force', '--json'];
    const { code, stdout, stderr } = await querydockProcess(args, {
      DATABASE_URL: connectionString,
      CLICKHOUSE_URL: nodes.shared.clickhouseUrl,
      CLICKHOUSE_USER_SECRET: nodes.shared.secret,
      CLICKHOUSE_NODES: settings.clickhouseNodes ?? '',
      CLICKHOUSE_CLUSTER: settings.clickhouseCluster ?? '',
      DATA_DIR: path.join(tmpdir(), 'querydock-no-data'),
    });
    return { code, stdout, stderr };
  }

  /** What each node has, as text; empty for none. */
  function onNodes(table: string): Promise<readonly string[]> {
    const { nodes, test } = world();
    const sql = `SELECT * FROM project_${test.project.id}.${table} ORDER BY ALL FORMAT CSV`;
    return Promise.all(([0, 1] as const).map((node) => nodes.sql(node, sql).catch(() => '')));
  }

  /** The rows, or what is refused. */
  async function query(sql: string): Promise<unknown> {
    const { body } = await world().test.rest('POST', '/query', { body: { query: sql } });
    return body.results ?? body;
  }

  /** Of tables that a load has not finished. */
  async function hidden(): Promise<readonly string[]> {
    const { nodes } = world();
    const sql = "SELECT count() FROM system.tables WHERE startsWith(name, '_load_')";
    return Promise.all(([0, 1] as const).map((node) => nodes.sql(node, sql)));
  }

  /** Which nodes have missed changes of which tables, and which changes are not finished. */
  async function journal(): Promise<readonly { readonly table: string; readonly kind: string }[]> {
    const { pool } = world().test.backends.metadata;
    const sql =
      'SELECT table_name AS "table", kind, is_missed AS "isMissed" FROM node_table ORDER BY 1, node';
    return (await pool.query(sql)).rows;
  }

  /** What the worker does every ten seconds. */
  const complete = () => world().test.app.materialization.completeNodes();

  return { load, drop, onNodes, query, hidden, journal, complete };
}
