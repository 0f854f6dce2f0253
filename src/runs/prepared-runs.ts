/**
 * What follows from the same input each time is worked out once: the request that an input is, and the plan of a
 * request for a version. Both hang on the objects that they follow from, so nothing has to be thrown away: a door
 * that reads the same text again hands over the same input, and a look-up that was invalidated brings another
 * version record.
 */
import type { Selected } from '../endpoints/resolve-version.ts';
import type { ValueSource } from '../query/variables.ts';
import type { VersionRecord } from '../store/endpoint-record.ts';
import type { RunDeps } from './deps.ts';
import { runPlanInput } from './plan-run.ts';
import { choosePath, planRun, type RunPath, type RunPlan, type RunPlanInput } from './run-plan.ts';
import { parseRunInput, type RunInput, type RunRequest } from './run-request.ts';

export interface PlannedRun {
  readonly input: RunPlanInput;
  readonly plan: RunPlan;
}

const requests = new WeakMap<
  RunInput,
  { readonly maxRows: number; readonly request: RunRequest }
>();

/** Throws `invalid_input`. The input must not change after. */
export function readRequest(input: RunInput, maxRows: number): RunRequest {
  const known = requests.get(input);
  if (known?.maxRows === maxRows) return known.request;
  const request = parseRunInput(input, maxRows);
  requests.set(input, { maxRows, request });
  return request;
}

interface KeptPlan extends PlannedRun {
  readonly version: VersionRecord;
  readonly form: ValueSource;
  readonly path: RunPath;
}

const plans = new WeakMap<RunRequest, KeptPlan>();

/** Throws for variables, filters and a path that the version does not take. */
export function plannedRun(
  deps: RunDeps,
  selected: Selected,
  asked: { readonly request: RunRequest; readonly form: ValueSource; readonly now: Date },
): PlannedRun {
  const { version } = selected;
  const { request, form, now } = asked;
  const kept = plans.get(request);
  // A plan holds while time leads to the same path; what filters mean may depend on the day.
  if (
    kept?.version === version &&
    kept.form === form &&
    kept.path === choosePath(version, request, now)
  ) {
    return kept;
  }
  const input = runPlanInput(deps, selected, asked);
  const plan = planRun(input);
  const path = choosePath(version, request, input.now);
  if (request.filtersOverride === null) plans.set(request, { version, form, path, input, plan });
  return { input, plan };
}
