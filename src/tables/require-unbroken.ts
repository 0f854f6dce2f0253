import { invalidInput } from '../errors/service-error.ts';
import { type BreakingVersion, findBreaking, type TableChange } from './breaking-endpoints.ts';
import type { LoadRowsDeps } from './deps.ts';

const maxShown = 20;

/** Throws `invalid_input` with the saved endpoints that the change would break. */
export async function requireUnbroken(
  { loads, endpoints }: Pick<LoadRowsDeps, 'loads' | 'endpoints'>,
  change: TableChange,
): Promise<void> {
  const found = await findBreaking({ tables: loads.tables, endpoints }, change);
  if (found.length === 0) return;
  const more = found.length > maxShown ? [`${found.length - maxShown} more`] : [];
  const named = [...found.slice(0, maxShown).map(describe), ...more].join('; ');
  throw invalidInput(
    'force',
    `To replace ${change.table} would break saved endpoints, so nothing was changed: ${named}. force=true does it anyway.`,
  );
}

function describe({ name, version, reason }: BreakingVersion): string {
  return `${name} (version ${version}): ${reason}`;
}
