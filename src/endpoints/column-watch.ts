/**
 * Keeps the stored columns of versions, which documents and the data graph show, in line with their results: a table's
 * columns may change after a query was saved.
 */
import { LRUCache } from 'lru-cache';
import { endpointKey } from '../cache/lookups.ts';
import type { Column } from '../engine/query-engine.ts';
import { areSameColumns } from '../engine/same-columns.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { BackgroundWork } from '../lib/background-work.ts';
import { compileSample } from '../query/compile-sample.ts';
import { parseQuery, type QueryDefinition } from '../query/query-definition.ts';
import type { VersionOfEndpoint } from '../store/endpoint-record.ts';
import type { NamingVersion } from '../store/versions-naming.ts';
import type { EndpointDeps } from './deps.ts';

export interface ColumnWatch {
  /** Takes the columns of a result on source data. If they differ, the version is described again in the background. */
  note(selected: VersionOfEndpoint, columns: readonly Column[]): void;
  /** In the background, describes the current and active versions that name the table. */
  tableChanged(projectId: number, table: string): void;
}

type Deps = Pick<EndpointDeps, 'engine' | 'endpoints' | 'lookups' | 'log'> & {
  readonly background: BackgroundWork;
};

/** Maximum concurrent versions or tables. */
const maxAtOnce = 2;
/** Results whose columns differ because of values, as in `SELECT {variables.n}`, and not because of their tables. */
const maxKnown = 10_000;

export function openColumnWatch(deps: Deps): ColumnWatch {
  const known = new LRUCache<string, true>({ max: maxKnown });
  return {
    note({ endpoint, version }, columns) {
      if (areSameColumns(columns, version.columns)) return;
      const found = `${version.id}/${version.columnsRevision} ${textOf(columns)}`;
      if (known.has(found)) return;
      const { projectId, name: endpointName } = endpoint;
      start(deps, version.id, async () => {
        await describe(deps, projectId, { ...version, endpointName });
        known.set(found, true);
      });
    },
    tableChanged(projectId, table) {
      start(deps, `${projectId}/${table}`, async (signal) => {
        for (const version of await deps.endpoints.versionsNaming(projectId, table)) {
          signal.throwIfAborted();
          await describe(deps, projectId, version);
        }
      });
    },
  };
}

function start(
  { background, log }: Deps,
  what: string,
  work: (signal: AbortSignal) => Promise<void>,
): void {
  const job = { key: `describe ${what}`, group: 'describe', max: maxAtOnce };
  background.start(job, (signal) =>
    work(signal).catch((error: unknown) => {
      if (!signal.aborted)
        log.warn({ err: error }, 'the columns of a version could not be updated');
    }),
  );
}

type Described = Pick<NamingVersion, 'id' | 'endpointName' | 'version' | 'query' | 'columns'>;

async function describe(deps: Deps, projectId: number, version: Described): Promise<void> {
  const { id: versionId, endpointName, query, columns: before } = version;
  const parsed = parseQuery(query as unknown as QueryDefinition);
  const after = await describedOrNull(deps, { projectId, ...compileSample(parsed) });
  if (after === null || areSameColumns(after, before)) return;
  if (!(await deps.endpoints.describeVersion({ versionId, before, after }))) return;
  deps.lookups.endpoints.invalidate(endpointKey(projectId, endpointName));
  deps.lookups.versions.clear();
  const fields = { projectId, endpoint: endpointName, version: version.version };
  deps.log.info(fields, 'the columns of a version were updated, because its tables changed');
}

/** Null for a query that cannot run at present; its stored columns then stay unchanged. */
async function describedOrNull(
  { engine }: Deps,
  statement: Parameters<EndpointDeps['engine']['describe']>[0],
): Promise<readonly Column[] | null> {
  try {
    return await engine.describe(statement);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 400) return null;
    throw error;
  }
}

function textOf(columns: readonly Column[]): string {
  return JSON.stringify(columns.map(({ name, type }) => [name, type]));
}
