/** The demo's data: real US flights of January to June 2001, and airports, from the package vega-datasets. */
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EngineConnection } from '../../engine/clickhouse/http/connection.ts';
import { loadTable } from '../../engine/clickhouse/load/load-table.ts';
import type { Column, QueryEngine } from '../../engine/query-engine.ts';
import type { LoadFormat } from '../../engine/table-loader.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Log } from '../../lib/log.ts';
import type { StartProgress } from '../../lib/progress.ts';

interface DemoTable {
  readonly name: string;
  readonly file: string;
  readonly format: LoadFormat;
  readonly columns: readonly Column[];
  readonly orderBy: readonly string[];
}

const code = 'LowCardinality(String)';

/** Ranges in the file: dates by minute, delays from -1116 to 1688 and distances up to 4962. */
const flights: DemoTable = {
  name: 'flights',
  file: 'flights-3m.parquet',
  format: 'Parquet',
  columns: [
    { name: 'date', type: "DateTime('UTC')" },
    { name: 'delay', type: 'Int16' },
    { name: 'distance', type: 'UInt16' },
    { name: 'origin', type: code },
    { name: 'destination', type: code },
  ],
  orderBy: ['origin', 'date'],
};

const airports: DemoTable = {
  name: 'airports',
  file: 'airports.csv',
  format: 'CSVWithNames',
  columns: [
    ...['iata', 'name', 'city', 'state', 'country'].map((name) => ({ name, type: 'String' })),
    { name: 'latitude', type: 'Float64' },
    { name: 'longitude', type: 'Float64' },
  ],
  orderBy: ['iata'],
};

export interface LoadDemoTables {
  readonly engine: QueryEngine;
  readonly connection: EngineConnection;
  readonly projectId: number;
  readonly startProgress: StartProgress;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Loads the tables that the project lacks; each appears completely or not at all. */
export async function loadDemoTables(demo: LoadDemoTables): Promise<void> {
  const existing = new Set((await demo.engine.tables(demo.projectId)).map((table) => table.name));
  for (const table of [airports, flights]) {
    if (!existing.has(table.name)) await loadDemoTable(demo, table);
  }
}

async function loadDemoTable(demo: LoadDemoTables, table: DemoTable): Promise<void> {
  const path = fileURLToPath(new URL(`../data/${table.file}`, datasets()));
  const progress = demo.startProgress(`Loading ${table.name}`, statSync(path).size);
  // Loads into one node; a separate step spreads the tables over several.
  const { nodes: _nodes, ...connection } = demo.connection;
  try {
    await loadTable({
      connection,
      projectId: demo.projectId,
      table: table.name,
      format: table.format,
      source: path,
      columns: table.columns,
      orderBy: table.orderBy,
      mode: 'create',
      onProgress: progress.update,
      signal: demo.signal,
      log: demo.log,
    });
  } catch (error) {
    // Another process that sets up the same demo was first.
    if (!(error instanceof ServiceError && error.code === 'unique')) throw error;
  } finally {
    progress.end();
  }
}

/** The package only exports its entry, build/index.js; the files are in data/ beside it. */
function datasets(): string {
  return import.meta.resolve('vega-datasets');
}
