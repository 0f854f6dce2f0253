import { readConfig } from '../config/config.ts';
import { openLog } from '../config/open-log.ts';
import { openSession, type Session } from './session.ts';
import { openStopSignal } from './stop-signal.ts';
import { UsageError } from './usage-error.ts';

/** Commands log little by default, because their output is their result. */
const commandLogLevel = 'warn';

/** A command was stopped by a signal; `exitCode` is for the shell. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(exitCode: number, cause: unknown) {
    super('Stopped.', { cause });
    this.exitCode = exitCode;
  }
}

/** Opens a session for one command and closes it again, even if the command fails or is interrupted. */
export async function withSession(
  work: (session: Session, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { LOG_LEVEL, ...env } = process.env;
  const config = readConfig({ ...env, LOG_LEVEL: LOG_LEVEL || commandLogLevel });
  const stop = openStopSignal();
  await using undo = new AsyncDisposableStack();
  undo.defer(() => stop.release());
  try {
    const session = await openSession(config, openLog(config.logLevel));
    undo.defer(() => session.close());
    stop.signal.throwIfAborted();
    await work(session, stop.signal);
  } catch (error) {
    throw stop.signal.aborted ? new Interrupted(stop.exitCode(), error) : error;
  }
}

/**
 * The project that an option names by id or name; without the option, the only one. Throws a UsageError that lists the
 * projects when there is none, or the choice is ambiguous.
 */
export async function requireProjectOption(
  { projects }: Session,
  given: string | undefined,
): Promise<{ readonly id: number; readonly name: string }> {
  const all = await projects.listProjects();
  const [only, ...others] = all;
  if (given === undefined && only !== undefined && others.length === 0) return only;
  const found = given === undefined ? undefined : findProject(all, given);
  if (found !== undefined) return found;
  const shown = all.slice(0, 10).map((project) => `${project.id} (${project.name})`);
  const hint =
    all.length === 0
      ? 'There is none yet. Create one: querydock project create NAME'
      : `There are ${shown.join(', ')}${all.length > shown.length ? ', …' : ''}.`;
  if ((given ?? '').trim() === '')
    throw new UsageError(`Give a project by its id or name. ${hint}`);
  throw new UsageError(`There is no project ${given}. ${hint}`);
}

/** Throws a usage error for a project whose tables the service must not change. */
export async function requireOwnTables({ engine }: Session, projectId: number): Promise<void> {
  const reason = await engine.whyNot(projectId, 'load');
  if (reason !== null) throw new UsageError(reason);
}

function findProject<P extends { readonly id: number; readonly name: string }>(
  all: readonly P[],
  given: string,
): P | undefined {
  return /^\d+$/.test(given)
    ? all.find((project) => project.id === Number(given))
    : all.find((project) => project.name === given);
}
