import { invalidInput } from '../errors/service-error.ts';
import type { Actor } from '../model/actor.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import type { ProjectRecord } from '../store/project-store.ts';
import type { AccessDeps } from './deps.ts';

const maxName = 200;

/**
 * Creates a project. Its database at the engine is created at its first use. Checks no permission: the caller has
 * command-line access to the service's machine. Throws `unique` when the name is taken.
 *
 * @param check of the id that the project would have: what it throws is thrown, and nothing is created.
 */
export async function createProject(
  { projects }: Pick<AccessDeps, 'projects'>,
  given: string,
  by?: Actor,
  check?: (projectId: number) => Promise<void>,
): Promise<ProjectRecord> {
  const name = parseProjectName(given);
  if (check === undefined) return projects.createProject(name, by);
  const id = await projects.reserveId();
  await check(id);
  return projects.createProject(name, by, id);
}

/** @throws ServiceError `invalid_input` */
export function parseProjectName(given: string): string {
  const name = requireStorableText(given.trim(), 'name');
  if (name === '' || name.length > maxName || /\p{Cc}/u.test(name)) {
    throw invalidInput(
      'name',
      `The name of a project must have 1 to ${maxName} characters on one line.`,
    );
  }
  if (/^\d+$/.test(name)) {
    throw invalidInput(
      'name',
      'The name of a project must not consist of digits only: a number is read as an id.',
    );
  }
  return name;
}
