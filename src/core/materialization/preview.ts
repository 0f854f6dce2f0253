import type { PlanResult } from '../../domain/materialization/plan.ts';
import type { Principal } from '../../domain/principal.ts';
import { uuidv7 } from '../../lib/ids.ts';
import type { CoreDeps } from '../deps.ts';
import { readEndpoint } from '../endpoint/read-endpoint.ts';
import { parsedQueryOf } from '../run/plan-run.ts';
import type { Selected } from '../run/select-version.ts';
import { planQuery } from './materializability.ts';

export interface Preview extends Selected {
  readonly planned: PlanResult;
  /** Null when it cannot be materialized, or nobody could say in time. */
  readonly expected: Expectation | null;
}

export interface Expectation {
  readonly rows: number;
  /** Uncompressed; null when only the source was looked at. */
  readonly bytes: number | null;
  /** False: at most so many, by what the source tables hold. */
  readonly isExact: boolean;
}

/** How long the stored query may be counted before its source's size has to do. */
const countMs = 5000;

/** What turning materialization on would do to one version. Changes nothing. */
export async function previewMaterialization(
  deps: CoreDeps,
  principal: Principal,
  call: {
    readonly projectId: string;
    readonly name: string;
    readonly version?: number | null | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Preview> {
  const selected = await readEndpoint(deps, principal, call);
  const { projectId } = selected.endpoint;
  const planned = await planQuery(deps, projectId, parsedQueryOf(selected.version));
  if (planned.kind === 'refusal') return { ...selected, planned, expected: null };
  const sql = planned.plan.storedQuery;
  const expected = await expect(deps, { projectId, sql, signal: call.signal });
  return { ...selected, planned, expected };
}

interface Asked {
  readonly projectId: number;
  readonly sql: string;
  readonly signal: AbortSignal | undefined;
}

async function expect(deps: CoreDeps, asked: Asked): Promise<Expectation | null> {
  const counted = await count(deps, asked, 'sum(byteSize(*))').catch(() =>
    count(deps, asked, 'NULL').catch(() => null),
  );
  if (counted !== null) return counted;
  asked.signal?.throwIfAborted();
  const statement = { projectId: asked.projectId, sql: asked.sql, params: {} };
  const rows = await deps.engine.estimateRows(statement).catch(() => null);
  return rows === null ? null : { rows, bytes: null, isExact: false };
}

async function count(deps: CoreDeps, asked: Asked, bytes: string): Promise<Expectation> {
  const limit = AbortSignal.timeout(countMs);
  const result = await deps.engine.query(
    {
      projectId: asked.projectId,
      sql: `SELECT count(), ${bytes} FROM (\n${asked.sql}\n)`,
      params: {},
      queryId: uuidv7(deps.clock.now()),
      limit: 1,
      offset: 0,
      integers: 'number',
    },
    asked.signal === undefined ? limit : AbortSignal.any([limit, asked.signal]),
  );
  const [row] = JSON.parse(result.rows.toString('utf8')) as [[number, number | null]];
  return { rows: row[0], bytes: row[1], isExact: true };
}
