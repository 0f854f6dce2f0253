import { getProject } from '../access/get-project.ts';
import type { Principal } from '../access/principal.ts';
import { requireOffset } from '../endpoints/authorize-list.ts';
import { readEndpoint } from '../endpoints/read-endpoint.ts';
import { invalidInput } from '../errors/service-error.ts';
import { isUuid } from '../lib/ids.ts';
import { isGiven } from '../lib/is-given.ts';
import { type ExecutionOrder, executionOrders } from '../model/execution-order.ts';
import { type ExecutionStatus, executionStatuses } from '../model/execution-status.ts';
import { hasScope } from '../model/scope.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import type { ExecutionFilter, ExecutionLine, ExecutionLogQuery } from '../store/execution-log.ts';
import type { RunDeps } from './deps.ts';
import { withoutValues } from './variable-shapes.ts';

/** Absent and null members do not filter. */
export interface ExecutionFilterInput {
  readonly instanceId?: string | null | undefined;
  readonly version?: number | null | undefined;
  readonly status?: string | null | undefined;
  readonly interface?: string | null | undefined;
  readonly after?: Date | null | undefined;
  readonly before?: Date | null | undefined;
  /** Levels, separated by commas. */
  readonly level?: string | null | undefined;
  readonly search?: string | null | undefined;
  readonly minMs?: number | null | undefined;
}

export interface ExecutionPage {
  readonly totalCount: number;
  readonly entries: readonly ExecutionLine[];
}

export const defaultLogEntries = 50;
export const maxLogEntries = 500;

/** Levels as existing clients name them; executions have only two. */
const statusesOfLevel: Readonly<Record<string, readonly ExecutionStatus[]>> = {
  DEBUG: [],
  LOG: [],
  INFO: ['running', 'completed'],
  WARN: [],
  ERROR: ['failed'],
};

export function levelOf({ status }: ExecutionLine): 'INFO' | 'ERROR' {
  return status === 'failed' ? 'ERROR' : 'INFO';
}

/**
 * The recorded executions of an endpoint; without a name, those of all endpoints of the project and of unsaved queries.
 * Throws `not_found`, or `invalid_input` naming the filter.
 */
export async function listExecutions(
  deps: RunDeps,
  principal: Principal,
  call: {
    readonly projectId: string;
    readonly name?: string | null | undefined;
    readonly filter: ExecutionFilterInput;
    readonly order?: string | null | undefined;
    readonly first?: number | null | undefined;
    readonly offset?: number | null | undefined;
  },
): Promise<ExecutionPage> {
  const { recordsValues, ...found } = await findLogged(deps, principal, call);
  const order = parseOrder(call.order);
  const filter = parseFilter(call.filter);
  const limit = call.first ?? defaultLogEntries;
  if (limit < 1 || limit > maxLogEntries) {
    throw invalidInput('first', `A page of the log must have from 1 to ${maxLogEntries} entries.`);
  }
  const offset = requireOffset(call.offset);
  if (filter === null) return { totalCount: 0, entries: [] };
  await deps.recorder.flush();
  const of = { ...found, filter };
  const totalCount = await deps.executionLog.countExecutions(of);
  const entries = await deps.executionLog.listExecutions({ ...of, order, limit, offset });
  if (recordsValues && hasScope(principal.scopes, 'endpoint:write')) return { totalCount, entries };
  const shown = entries.map((entry) => ({ ...entry, variables: withoutValues(entry.variables) }));
  return { totalCount, entries: shown };
}

async function findLogged(
  deps: RunDeps,
  principal: Principal,
  {
    projectId,
    name = null,
  }: { readonly projectId: string; readonly name?: string | null | undefined },
): Promise<
  Pick<ExecutionLogQuery, 'projectId' | 'endpointId'> & { readonly recordsValues: boolean }
> {
  if (name === null) {
    const { id, recordsValues } = await getProject(deps, principal, projectId);
    return { projectId: id, endpointId: null, recordsValues };
  }
  const { endpoint } = await readEndpoint(deps, principal, { projectId, name });
  const { projectId: id, id: endpointId, recordsValues } = endpoint;
  return { projectId: id, endpointId, recordsValues };
}

function parseOrder(given: string | null | undefined): ExecutionOrder {
  const found = executionOrders.find((order) => order === (given ?? 'newest'));
  if (found !== undefined) return found;
  throw invalidInput('order', `order must be one of ${executionOrders.join(', ')}.`);
}

/** Null when no execution can match it. */
function parseFilter(input: ExecutionFilterInput): ExecutionFilter | null {
  const { instanceId, version = null, after = null, before = null, search } = input;
  if (isGiven(instanceId) && !isUuid(instanceId)) return null;
  if (version !== null && (version < 1 || version > 2_147_483_647)) return null;
  const statuses = parseStatuses(input);
  if (statuses.length === 0) return null;
  return {
    id: instanceId ?? null,
    version,
    statuses,
    door: parseInterface(input.interface),
    after,
    before,
    minMs: parseMinMs(input.minMs),
    search: isGiven(search) && search !== '' ? requireStorableText(search, 'search') : null,
  };
}

function parseStatuses({ status, level }: ExecutionFilterInput): readonly ExecutionStatus[] {
  if (isGiven(status) && !executionStatuses.some((known) => known === status)) {
    throw invalidInput('status', `status must be one of ${executionStatuses.join(', ')}.`);
  }
  const levels = isGiven(level) ? level.split(',').map((one) => one.trim().toUpperCase()) : null;
  const unknown = levels?.find((one) => !Object.hasOwn(statusesOfLevel, one));
  if (unknown !== undefined) {
    const known = Object.keys(statusesOfLevel).join(', ');
    throw invalidInput(
      'level',
      `level must be a list of levels, separated by commas, of ${known}.`,
    );
  }
  const ofLevels = levels?.flatMap((one) => statusesOfLevel[one] ?? []) ?? executionStatuses;
  return ofLevels.filter((one) => !isGiven(status) || one === status);
}

function parseMinMs(value: number | null | undefined): number | null {
  if (!isGiven(value) || value >= 0) return value ?? null;
  throw invalidInput('min_ms', 'min_ms must be a number of milliseconds, 0 or more.');
}

function parseInterface(value: string | null | undefined): string | null {
  if (!isGiven(value)) return null;
  if (value === 'rest' || value === 'graphql') return value;
  throw invalidInput('interface', 'interface must be rest or graphql.');
}
