import { invalidInput, ServiceError } from '../errors/service-error.ts';

/** Stands for numbers of callers that are too large for any version; messages do not name it, since no caller wrote it. */
export const noVersion = -2_147_483_648;

/** A version number from the caller; null means the latest. */
export function parseVersionNumber(value: number | null | undefined): number | null {
  if (value === undefined || value === null) return null;
  if (!Number.isSafeInteger(value)) throw invalidInput('version', 'version must be an integer.');
  return value;
}

/** The beginning of a message. */
export function versionNotFound(number: number | null | undefined): string {
  return number === noVersion ? 'This version was not found' : `Version ${number} not found`;
}

/** The version that was found. Throws `version_not_found` for null. */
export function requireVersion<V>(
  found: V | null | undefined,
  number: number | null,
  endpoint: { readonly name: string; readonly currentVersion: { readonly version: number } },
): V {
  if (found !== null && found !== undefined) return found;
  const current = endpoint.currentVersion.version;
  const detail = `${versionNotFound(number)} for endpoint '${endpoint.name}'. The current version is ${current}.`;
  throw new ServiceError('version_not_found', detail, {
    attr: 'version',
    extra: { error: detail, current_version: current },
  });
}
