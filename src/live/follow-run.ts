import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { invalidInput } from '../errors/service-error.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { RunDeps } from '../runs/deps.ts';
import type { RunCall } from '../runs/prepared-runs.ts';
import type { RunInput } from '../runs/run-request.ts';
import { openAudience } from './audience.ts';
import type { RunContent } from './content.ts';
import type { Follow } from './follow.ts';
import type { HeldBytes } from './held-bytes.ts';
import type { RefreshQueue } from './refresh-queue.ts';
import type { Representation } from './sources.ts';

export interface FollowRun {
  readonly call: RunCall;
  readonly intervalSeconds: number | null;
  readonly representation: Representation<RunContent>;
}

/**
 * The audience of the run's result. Throws as authorization does, and `invalid_input` for inputs that a result stream
 * does not support.
 */
export function runToFollow(
  core: RunDeps,
  { queue, held }: { readonly queue: RefreshQueue; readonly held: HeldBytes },
  { principal, run }: { readonly principal: Principal; readonly run: FollowRun },
): Follow<RunContent> {
  requireScope(principal, 'endpoint:read');
  const { call, representation } = run;
  const projectId = requireProject(principal, call.projectId);
  const intervalSeconds = parseInterval(core, run.intervalSeconds);
  requireFollowable(call.input);
  return {
    projectId,
    intervalSeconds,
    representation,
    key: audienceKey(principal, projectId, call),
    open: (onClose) =>
      openAudience(core, { projectId, call, queue, onClose, holding: held.open(projectId) }),
  };
}

/** Equal for calls whose runs have the same result under the same limits. */
function audienceKey({ limits }: Principal, projectId: number, call: RunCall): string {
  const given = Object.entries(call.input).filter(([, value]) => value != null);
  const source = call.input.variables == null ? null : call.valueSource;
  return stableJson(['run', projectId, call.name, Object.fromEntries(given), source, limits]);
}

const longestInterval = 86_400;

function parseInterval({ config }: RunDeps, seconds: number | null): number | null {
  const least = config.minLiveIntervalSeconds;
  if (seconds === null) return null;
  if (Number.isSafeInteger(seconds) && seconds >= least && seconds <= longestInterval)
    return seconds;
  throw invalidInput(
    'interval_seconds',
    `interval_seconds must be an integer from ${least} to ${longestInterval}.`,
  );
}

/** A stream repeats a run, so inputs that only make sense for one response are refused. */
function requireFollowable({ format, debug, clientQueryId }: RunInput): void {
  if (format != null && format !== 'json')
    throw invalidInput('format', 'An event stream is always JSON. Omit format.');
  if (debug === true)
    throw invalidInput('debug', 'debug is not supported for event streams. Omit it.');
  if (clientQueryId != null)
    throw invalidInput(
      'client_query_id',
      'client_query_id is not supported for event streams. Close the stream to end its queries.',
    );
}
