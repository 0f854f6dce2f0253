import { getProject } from '../access/get-project.ts';
import { type Principal, requireScope } from '../access/principal.ts';
import type { Config } from '../config/config.ts';
import { readEndpoint } from '../endpoints/read-endpoint.ts';
import { invalidInput } from '../errors/service-error.ts';
import { type UsageStep, unsavedEndpointId } from '../model/usage.ts';
import type { UsageGroup, UsageLine } from '../store/usage-reading.ts';
import type { UsageStore } from '../store/usage-store.ts';
import type { UsageDeps } from './deps.ts';
import { parseGroups, parseUsageFilter, type UsageInput } from './parse-usage.ts';
import { type KeptDays, planTimes, type StepOption } from './plan-usage.ts';
import { toFigures, type UsageFigures } from './usage-figures.ts';

export interface UsageReport {
  /** The start of the first step, and the end of the last. */
  readonly from: Date;
  readonly to: Date;
  readonly step: StepOption;
  /** The step of the summed counts; the period is extended to whole steps of it. */
  readonly countedBy: UsageStep;
  readonly groupBy: readonly UsageGroup[];
  readonly total: UsageFigures;
  /** Sorted by time, then by runs, most first; omits steps and groups without runs. */
  readonly results: readonly UsagePoint[];
}

/** Members that are not grouped by are null. */
export interface UsagePoint extends UsageFigures {
  /** The start of the step; null for the whole period. */
  readonly at: Date | null;
  /** Empty for unsaved queries, which have no id. */
  readonly endpoint: string | null;
  readonly endpointId: string | null;
  readonly version: number | null;
  readonly key: UsageKey | null;
  readonly interface: string | null;
  readonly path: string | null;
  readonly outcome: string | null;
}

export interface UsageKey {
  readonly id: string;
  readonly label: string | null;
  readonly prefix: string | null;
}

const usualLines = 50_000;

/** The usage of a project's runs. Throws `invalid_input` naming the input. */
export async function readUsage(
  deps: UsageDeps,
  principal: Principal,
  { projectId, ...input }: UsageInput & { readonly projectId: string },
): Promise<UsageReport> {
  const { id } = await getProject(deps, principal, projectId);
  requireKeysReadable(principal, input);
  await deps.usage.flush();
  return reportUsage(deps, { ...input, projectId: id, endpointId: null, now: deps.clock.now() });
}

/** The same for one endpoint. Also throws `not_found`. */
export async function readEndpointUsage(
  deps: UsageDeps,
  principal: Principal,
  { projectId, name, ...input }: UsageInput & { readonly projectId: string; readonly name: string },
): Promise<UsageReport> {
  const { endpoint } = await readEndpoint(deps, principal, { projectId, name });
  requireKeysReadable(principal, input);
  await deps.usage.flush();
  const of = { projectId: endpoint.projectId, endpointId: endpoint.id };
  return reportUsage(deps, { ...input, ...of, now: deps.clock.now() });
}

/** Not every key that runs a project's endpoints may see who else uses them. */
export function requireKeysReadable(principal: Principal, { groupBy, filter }: UsageInput): void {
  const isOwn = filter?.key === principal.keyId;
  const readsOthers = groupBy?.includes('key') === true || filter?.key != null;
  if (readsOthers && !isOwn) requireScope(principal, 'endpoint:write');
}

export interface UsageQuestion extends UsageInput {
  readonly projectId: number;
  /** Null for all endpoints. */
  readonly endpointId: string | null;
  readonly now: Date;
  /** Absent for the maximum of one response. */
  readonly maxLines?: number;
}

/** Reads the stored usage. */
export async function reportUsage(
  { config, usageStore }: { readonly config: Config; readonly usageStore: UsageStore },
  { projectId, endpointId, now, maxLines = usualLines, ...input }: UsageQuestion,
): Promise<UsageReport> {
  const { requested, step, from, to } = planTimes(input, keptDays(config), now);
  const groups = parseGroups(input.groupBy, endpointId);
  const filter = parseUsageFilter(input.filter, endpointId);
  const isByStep = requested !== 'all';
  const query = { projectId, step, from, to, isByStep, groups, filter, maxLines };
  const lines = await usageStore.readUsage(query);
  if (lines.length > maxLines) throw tooManyLines(requested, maxLines);
  return {
    from,
    to,
    step: requested,
    countedBy: step,
    groupBy: groups,
    total: toFigures(lines),
    results: lines.map(toPoint),
  };
}

export function keptDays(config: Config): KeptDays {
  return { minute: config.usageMinuteDays, hour: config.usageHourDays, day: config.usageDayDays };
}

function tooManyLines(requested: StepOption, maxLines: number): Error {
  const longer = requested === 'all' ? '' : ', a longer step';
  return invalidInput(
    'group_by',
    `The result has more than ${maxLines} lines. Request a shorter period${longer} or fewer groups.`,
  );
}

function toPoint(line: UsageLine): UsagePoint {
  const { at, endpoint, endpointId, version, keyId, keyLabel, keyPrefix } = line;
  return {
    at,
    endpoint,
    endpointId: endpointId === unsavedEndpointId ? null : endpointId,
    version,
    key: keyId === null ? null : { id: keyId, label: keyLabel, prefix: keyPrefix },
    interface: line.interface,
    path: line.path,
    outcome: line.outcome,
    ...toFigures([line]),
  };
}
