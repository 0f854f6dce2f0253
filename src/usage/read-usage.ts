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
import { type AskedStep, type KeptDays, planTimes } from './plan-usage.ts';
import { toFigures, type UsageFigures } from './usage-figures.ts';

export interface UsageReport {
  /** The start of the first step, and the end of the last. */
  readonly from: Date;
  readonly to: Date;
  readonly step: AskedStep;
  /** The step of the counts that were summed up, to which the times are widened. */
  readonly countedBy: UsageStep;
  readonly groupBy: readonly UsageGroup[];
  readonly total: UsageFigures;
  /** By time, then by runs, most first; steps and groups without runs are absent. */
  readonly results: readonly UsagePoint[];
}

/** Members by which is not grouped are null. */
export interface UsagePoint extends UsageFigures {
  /** The start of the step; null for the whole time. */
  readonly at: Date | null;
  /** Empty for queries that are not saved, which have no id. */
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

/** What runs of a project took. Throws `invalid_input` naming the input. */
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

/** The same for one endpoint. Throws `not_found` as well. */
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

/** Who else uses a project is not for every key that runs its endpoints. */
export function requireKeysReadable(principal: Principal, { groupBy, filter }: UsageInput): void {
  const isOwn = filter?.key === principal.keyId;
  const asksOthers = groupBy?.includes('key') === true || filter?.key != null;
  if (asksOthers && !isOwn) requireScope(principal, 'endpoint:write');
}

export interface UsageQuestion extends UsageInput {
  readonly projectId: number;
  /** Null: of all endpoints. */
  readonly endpointId: string | null;
  readonly now: Date;
  /** Absent: as many as one response has. */
  readonly maxLines?: number;
}

/** What is stored. */
export async function reportUsage(
  { config, usageStore }: { readonly config: Config; readonly usageStore: UsageStore },
  { projectId, endpointId, now, maxLines = usualLines, ...input }: UsageQuestion,
): Promise<UsageReport> {
  const { asked, step, from, to } = planTimes(input, keptDays(config), now);
  const groups = parseGroups(input.groupBy, endpointId);
  const filter = parseUsageFilter(input.filter, endpointId);
  const isByStep = asked !== 'all';
  const query = { projectId, step, from, to, isByStep, groups, filter, maxLines };
  const lines = await usageStore.readUsage(query);
  if (lines.length > maxLines) throw tooManyLines(asked, maxLines);
  return {
    from,
    to,
    step: asked,
    countedBy: step,
    groupBy: groups,
    total: toFigures(lines),
    results: lines.map(toPoint),
  };
}

export function keptDays(config: Config): KeptDays {
  return { minute: config.usageMinuteDays, hour: config.usageHourDays, day: config.usageDayDays };
}

function tooManyLines(asked: AskedStep, maxLines: number): Error {
  const longer = asked === 'all' ? '' : ', a longer step';
  return invalidInput(
    'group_by',
    `This has more than ${maxLines} lines. Ask for a shorter time${longer} or fewer groups.`,
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
