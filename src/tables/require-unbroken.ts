import { invalidInput } from '../errors/service-error.ts';
import { type BreakingVersion, findBreaking, type TableChange } from './breaking-endpoints.ts';
import type { LoadRowsDeps } from './deps.ts';

const maxShown = 20;

/** Throws `invalid_input`, listing the saved endpoints that the change would break. */
export async function requireUnbroken(
  { loads, endpoints }: Pick<LoadRowsDeps, 'loads' | 'endpoints'>,
  change: TableChange,
): Promise<void> {
  const found = await findBreaking({ tables: loads.tables, endpoints }, change);
  if (found.length === 0) return;
  const named = describeBreaking(found).join('; ');
  throw invalidInput(
    'force',
    `Replacing ${change.table} would break saved endpoints, so nothing was changed: ${named}. Use force=true to replace it anyway.`,
  );
}

/** Each with its reason; only the first ones if there are many. */
export function describeBreaking(found: readonly BreakingVersion[]): readonly string[] {
  const more = found.length > maxShown ? [`and ${found.length - maxShown} more`] : [];
  const shown = found.slice(0, maxShown);
  return [
    ...shown.map(({ name, version, reason }) => `${name} (version ${version}): ${reason}`),
    ...more,
  ];
}
