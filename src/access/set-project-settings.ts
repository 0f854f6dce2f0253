import { invalidInput } from '../errors/service-error.ts';
import type { Actor } from '../model/actor.ts';
import type { ProjectRecord } from '../store/project-store.ts';
import { currentActor } from './current-actor.ts';
import type { AccessDeps } from './deps.ts';
import { projectNotFound } from './get-project.ts';
import { type Principal, requireProject, requireScope } from './principal.ts';

/** Absent and null members change nothing. */
export interface ProjectSettingsInput {
  /** Whether executions are recorded with the values of their variables. */
  readonly recordsValues?: boolean | null | undefined;
}

/** For administrators: `setProjectSettings` on behalf of a key. */
export async function changeProjectSettings(
  deps: AccessDeps,
  principal: Principal,
  call: { readonly projectId: string; readonly settings: ProjectSettingsInput },
): Promise<ProjectRecord> {
  requireScope(principal, 'admin');
  const id = requireProject(principal, call.projectId);
  const by = currentActor(principal);
  const changed = await setProjectSettings(deps, id, { settings: call.settings, by });
  // Cached endpoints include their project's settings.
  deps.lookups.endpoints.clear();
  return changed;
}

/** Checks no permission: the caller has an administrator's key, or command-line access to the service's machine. */
export async function setProjectSettings(
  deps: Pick<AccessDeps, 'projects'>,
  projectId: number,
  change: { readonly settings: ProjectSettingsInput; readonly by?: Actor | undefined },
): Promise<ProjectRecord> {
  const { recordsValues } = change.settings;
  if (recordsValues === undefined || recordsValues === null)
    throw invalidInput('settings', 'Name at least one setting: recordsValues.');
  const settings = { recordsValues };
  const changed = await deps.projects.setSettings({ id: projectId, settings, by: change.by });
  if (changed === null) throw projectNotFound(projectId);
  return changed;
}
