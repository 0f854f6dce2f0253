/** The simplest model of a project's endpoints; both interfaces have to agree with it. */

export interface ModelVersion {
  readonly query: string;
  isActive: boolean;
  description: string;
  cacheAge: number | null;
}

export interface ModelEndpoint {
  isActive: boolean;
  /** Version 1 first. */
  readonly versions: ModelVersion[];
}

/** By name, the oldest first. */
export type Model = Map<string, ModelEndpoint>;

/** What a call returns: an error code of the catalogue, or facts. */
export type Outcome<Facts> = { readonly code: string } | { readonly facts: Facts };

export type Change =
  | { readonly kind: 'query'; readonly query: string }
  | { readonly kind: 'description'; readonly description: string }
  | { readonly kind: 'cacheAge'; readonly cacheAge: number | null }
  | { readonly kind: 'isActive'; readonly isActive: boolean };

export interface Facts {
  readonly name: string;
  readonly currentVersion: number;
  readonly versionsCount: number;
  readonly isActive: boolean;
  readonly description: string;
  readonly cacheAge: number | null;
  readonly query: string;
}

const notFound = { code: 'not_found' } as const;

/** The endpoint as its current version has it, or as the one that is named has it. */
export function readModel(model: Model, name: string, version?: number): Outcome<Facts> {
  const endpoint = model.get(name);
  if (endpoint === undefined) return notFound;
  const { versions } = endpoint;
  const found = versions[(version ?? versions.length) - 1];
  if (found === undefined) return { code: 'version_not_found' };
  const { query, description, cacheAge } = found;
  const isActive = version === undefined ? endpoint.isActive : found.isActive;
  const count = versions.length;
  const numbers = { currentVersion: count, versionsCount: count };
  return { facts: { name, ...numbers, isActive, description, cacheAge, query } };
}

export function createInModel(model: Model, name: string, query: string): Outcome<Facts> {
  if (model.has(name)) return { code: 'unique' };
  const first = { query, isActive: true, description: '', cacheAge: null };
  model.set(name, { isActive: true, versions: [first] });
  return readModel(model, name);
}

export function changeModel(
  model: Model,
  target: { readonly name: string; readonly version?: number },
  change: Change,
): Outcome<Facts> {
  const { name, version } = target;
  if (version !== undefined && change.kind === 'query') return { code: 'invalid_input' };
  const endpoint = model.get(name);
  if (endpoint === undefined) return notFound;
  const { versions } = endpoint;
  const changed = versions[(version ?? versions.length) - 1];
  if (changed === undefined) return { code: 'invalid_input' };
  switch (change.kind) {
    case 'query':
      if (changed.query !== change.query)
        versions.push({ ...changed, query: change.query, isActive: true });
      break;
    case 'description':
      changed.description = change.description;
      break;
    case 'cacheAge':
      changed.cacheAge = change.cacheAge;
      break;
    default:
      if (version === undefined) endpoint.isActive = change.isActive;
      else changed.isActive = change.isActive;
  }
  return readModel(model, name, version);
}

export function deleteFromModel(model: Model, name: string): boolean {
  return model.delete(name);
}

/** The text that a run executes. */
export function runModel(model: Model, name: string, version?: number): Outcome<string> {
  const endpoint = model.get(name);
  if (endpoint?.isActive !== true) return notFound;
  const { versions } = endpoint;
  const found = versions[(version ?? versions.length) - 1];
  if (found === undefined) return { code: 'version_not_found' };
  return found.isActive ? { facts: found.query } : { code: 'inactive_version' };
}

/** Names, the newest first. */
export function listModel(model: Model): readonly string[] {
  return [...model.keys()].reverse();
}
