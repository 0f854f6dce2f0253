import { invalidInput } from '../errors/service-error.ts';
import type { Actor } from '../model/actor.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import type { ProjectRecord } from '../store/project-store.ts';
import type { AccessDeps } from './deps.ts';

const maxName = 200;

/**
 * Creates a project. Its database at the engine follows with its first use. Checks no permission: the caller has the
 * command line of the service's own machine. Throws `unique` when the name is taken.
 */
export async function createProject(
  deps: Pick<AccessDeps, 'projects'>,
  given: string,
  by?: Actor,
): Promise<ProjectRecord> {
  const name = requireStorableText(given.trim(), 'name');
  if (name === '' || name.length > maxName || /\p{Cc}/u.test(name)) {
    throw invalidInput('name', `A project’s name has 1 to ${maxName} characters on one line.`);
  }
  if (/^\d+$/.test(name)) {
    throw invalidInput('name', 'A project’s name is more than digits: a number stands for its id.');
  }
  return deps.projects.createProject(name, by);
}
