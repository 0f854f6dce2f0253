import { invalidInput, ServiceError } from '../errors/service-error.ts';

/** A version number as a caller names it; null means the latest. Nothing below 1 can exist. */
export function parseVersionNumber(value: number | null | undefined): number | null {
  if (value === undefined || value === null) return null;
  if (!Number.isSafeInteger(value)) throw invalidInput('version', 'A version is a whole number.');
  return value;
}

export function versionNotFound(
  version: number,
  name: string,
  currentVersion: number,
): ServiceError {
  const detail = `Version ${version} not found for endpoint '${name}'. The current version is ${currentVersion}.`;
  return new ServiceError('version_not_found', detail, {
    attr: 'version',
    extra: { error: detail, current_version: currentVersion },
  });
}
