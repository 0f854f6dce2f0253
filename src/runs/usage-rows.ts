/**
 * The rows of the built-in endpoint `_usage`: read from the metadata database, and sent to the engine with the query
 * that returns them.
 */
import type { Principal } from '../access/principal.ts';
import {
  isUsageEndpoint,
  type UsageColumn,
  type UsageVariable,
  usageColumns,
} from '../endpoints/built-in/usage-endpoint.ts';
import { invalidInput, ServiceError } from '../errors/service-error.ts';
import { instantForm, instantOf } from '../sql/param-time.ts';
import { formatParam } from '../sql/param-value.ts';
import type { UsageInput } from '../usage/parse-usage.ts';
import { reportUsage, requireKeysReadable, type UsagePoint } from '../usage/read-usage.ts';
import type { RunDeps } from './deps.ts';
import type { ExecutionCall } from './record-execution.ts';
import type { RunRequest } from './run-request.ts';

/** Maximum that fits into one request to the engine. */
const maxLines = 10_000;
/** The engine accepts fields of up to 128 KiB, and a character may have 4 bytes. */
const maxFieldLength = 30_000;

/** Throws `permission_denied` for callers that may not see usage by key, and refuses live results. */
export function requireUsageReadable(
  principal: Principal,
  { request, isLive }: { readonly request: RunRequest; readonly isLive: boolean },
): void {
  if (isLive)
    throw invalidInput(
      'name',
      'Usage changes with every run, so it is not available as an event stream. Run it again instead.',
    );
  requireKeysReadable(principal, toInput(request));
}

/** Adds the rows to an execution of `_usage`; returns any other unchanged. */
export async function withSource(deps: RunDeps, call: ExecutionCall): Promise<ExecutionCall> {
  if (!isUsageEndpoint(call.endpoint)) return call;
  await deps.usage.flush();
  const { results } = await reportUsage(deps, {
    ...toInput(call.request),
    projectId: call.endpoint.projectId,
    endpointId: null,
    now: deps.clock.now(),
    maxLines,
  }).catch((error: unknown) => {
    throw ofVariable(error);
  });
  const fields = toFields(results);
  const sql = `SELECT ${usageColumns.map(({ name }, at) => `${sqlOf(name, at + 1)} AS ${name}`).join(', ')} FROM (SELECT JSONExtract(arrayJoin(JSONExtractArrayRaw(concat('[', ${fields.map((_, at) => `{lines_${at}:String}`).join(", ',', ")}, ']'))), '${lineType}') AS line)`;
  const params = Object.fromEntries(
    fields.map((field, at) => [`lines_${at}`, formatParam('String', field, 'usage')]),
  );
  return { ...call, plan: { ...call.plan, sql, params } };
}

/** An error that names an input of usage, naming the variable that carries it here. */
function ofVariable(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_input') return error;
  if (error.attr === null) return error;
  return invalidInput(`variables.${error.attr}`, error.message);
}

/** Times are sent as milliseconds. */
const lineType = `Tuple(${usageColumns.map(({ name, type }) => (name === 'at' ? 'Nullable(Int64)' : type)).join(', ')})`;

function sqlOf(name: UsageColumn, position: number): string {
  const value = `tupleElement(line, ${position})`;
  return name === 'at' ? `fromUnixTimestamp64Milli(${value}, 'UTC')` : value;
}

/** Lines as comma-separated JSON, in texts of bounded length. */
function toFields(points: readonly UsagePoint[]): readonly string[] {
  const fields: string[] = [''];
  for (const point of points) {
    const line = JSON.stringify(usageColumns.map(({ name }) => columns[name](point)));
    const last = fields.at(-1) ?? '';
    if (last.length + line.length >= maxFieldLength) fields.push(line);
    else fields[fields.length - 1] = last === '' ? line : `${last},${line}`;
  }
  return fields;
}

const columns: Readonly<Record<UsageColumn, (point: UsagePoint) => string | number | null>> = {
  at: ({ at }) => at?.getTime() ?? null,
  endpoint: ({ endpoint }) => endpoint,
  version: ({ version }) => version,
  key_id: ({ key }) => key?.id ?? null,
  key_label: ({ key }) => key?.label ?? null,
  interface: (point) => point.interface,
  path: ({ path }) => path,
  outcome: ({ outcome }) => outcome,
  runs: ({ runs }) => runs,
  errors: ({ errors }) => errors,
  rows: ({ rows }) => rows,
  bytes: ({ bytes }) => bytes,
  executions: ({ executions }) => executions,
  rows_read: ({ rowsRead }) => rowsRead,
  bytes_read: ({ bytesRead }) => bytesRead,
  engine_seconds: ({ engineSeconds }) => engineSeconds,
  processor_seconds: ({ processorSeconds }) => processorSeconds,
  measured_executions: ({ measuredExecutions }) => measuredExecutions,
  mean_ms: ({ meanMs }) => meanMs,
  p50_ms: ({ p50Ms }) => p50Ms,
  p95_ms: ({ p95Ms }) => p95Ms,
  p99_ms: ({ p99Ms }) => p99Ms,
  recomputed: ({ recomputed }) => recomputed,
  unchanged: ({ unchanged }) => unchanged,
};

/** The values have the variables' types, which was checked when the run was planned. */
function toInput({ variables }: RunRequest): UsageInput {
  const textOf = (name: UsageVariable) => {
    const value = Object.hasOwn(variables, name) ? String(variables[name]) : '';
    return value === '' ? null : value;
  };
  const version = Number(textOf('version') ?? 0);
  return {
    from: timeOf('from', textOf('from')),
    to: timeOf('to', textOf('to')),
    step: textOf('step'),
    groupBy: textOf('group_by')
      ?.split(',')
      .map((name) => name.trim()),
    filter: {
      endpoint: textOf('endpoint'),
      version: version === 0 ? null : version,
      key: textOf('key'),
      interface: textOf('interface'),
      path: textOf('path'),
      outcome: textOf('outcome'),
    },
  };
}

function timeOf(name: string, text: string | null): Date | null {
  if (text === null) return null;
  const time = instantOf(text);
  if (time !== null) return time;
  throw invalidInput(`variables.${name}`, `${name} must be a time ${instantForm}.`);
}
