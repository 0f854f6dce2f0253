import { invalidInput, ServiceError } from '../errors/service-error.ts';

/** A version number from the caller; null means the latest. */
export function parseVersionNumber(value: number | null | undefined): number | null {
  if (value === undefined || value === null) return null;
  if (!Number.isSafeInteger(value)) throw invalidInput('version', 'version must be an integer.');
  return value;
}

/** The version that was found. Throws `version_not_found` for null. */
export function requireVersion<V>(
  found: V | null | undefined,
  number: number | null,
  endpoint: { readonly name: string; readonly currentVersion: { readonly version: number } },
): V {
  if (found !== null && found !== undefined) return found;
  const current = endpoint.currentVersion.version;
  const detail = `Version ${number} not found for endpoint '${endpoint.name}'. The current version is ${current}.`;
  throw new ServiceError('version_not_found', detail, {
    attr: 'version',
    extra: { error: detail, current_version: current },
  });
}
