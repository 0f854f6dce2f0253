/** Variables that are saved once per project, so that its queries can refer to them by id. */
import { currentActor } from '../../access/current-actor.ts';
import { getProject, requireExistingProject } from '../../access/get-project.ts';
import { type Principal, requireProject, requireScope } from '../../access/principal.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { isUuid } from '../../lib/ids.ts';
import type { EndpointDeps } from '../deps.ts';
import { changeVariable, parseNewVariable, type SavedVariableInput } from './variable-input.ts';

interface VariableCall {
  readonly projectId: string;
  readonly id: string;
}

/** Returns the id. Throws `unique` when the code name is taken. */
export async function createSavedVariable(
  deps: EndpointDeps,
  principal: Principal,
  call: { readonly projectId: string; readonly input: SavedVariableInput },
): Promise<string> {
  requireScope(principal, 'endpoint:write');
  const { id: projectId } = await getProject(deps, principal, call.projectId);
  return deps.variables.createVariable({
    projectId,
    content: parseNewVariable(call.input),
    createdById: principal.userId,
    by: currentActor(principal),
  });
}

/** Endpoints keep the definitions that they were saved with. Returns the id. Throws `not_found`. */
export async function updateSavedVariable(
  deps: EndpointDeps,
  principal: Principal,
  call: VariableCall & { readonly input: SavedVariableInput },
): Promise<string> {
  requireScope(principal, 'endpoint:write');
  const projectId = requireProject(principal, call.projectId);
  const { id, input } = call;
  const by = currentActor(principal);
  const change = (was: Parameters<typeof changeVariable>[0]) => changeVariable(was, input);
  const found = await deps.variables.updateVariable({ projectId, id, change, by });
  if (!found) throw variableNotFound();
  return id;
}

/** Throws `not_found`. */
export async function deleteSavedVariable(
  deps: EndpointDeps,
  principal: Principal,
  { projectId, id }: VariableCall,
): Promise<void> {
  requireScope(principal, 'endpoint:write');
  const owner = requireProject(principal, projectId);
  const by = currentActor(principal);
  const found = await deps.variables.deleteVariable({ projectId: owner, id, by });
  if (!found) throw variableNotFound();
}

/** The condition for the project's variables, for a key that may read them. */
export async function authorizeVariables(
  deps: EndpointDeps,
  principal: Principal,
  projectId: string,
): Promise<{ readonly projectId: number }> {
  requireScope(principal, 'endpoint:read');
  return { projectId: await requireExistingProject(deps, principal, projectId) };
}

/** The condition for one variable. Throws `not_found` for an invalid id. */
export function authorizeVariable(
  principal: Principal,
  { projectId, id }: VariableCall,
): { readonly projectId: number; readonly id: string } {
  requireScope(principal, 'endpoint:read');
  const owner = requireProject(principal, projectId);
  if (!isUuid(id)) throw variableNotFound();
  return { projectId: owner, id };
}

export function variableNotFound(): ServiceError {
  return new ServiceError('not_found', 'The project has no saved variable with this id.', {
    attr: 'id',
  });
}
