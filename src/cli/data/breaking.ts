import {
  type BreakingVersion,
  findBreaking,
  type TableChange,
} from '../../tables/breaking-endpoints.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';

const maxShown = 20;

/** Throws a UsageError that names the saved endpoints which the change would break, unless it is forced. */
export async function requireUnbroken(
  session: Session,
  change: TableChange & { readonly force: boolean; readonly act: string },
): Promise<void> {
  if (change.force) return;
  const found = await findBreaking(session, change);
  if (found.length === 0) return;
  const more = found.length > maxShown ? [`… and ${found.length - maxShown} more`] : [];
  const lines = [...found.slice(0, maxShown).map(describe), ...more];
  throw new UsageError(
    `To ${change.act} ${change.table} would break saved endpoints, so nothing was changed:\n${lines.join('\n')}\n--force does it anyway.`,
  );
}

function describe({ name, version, reason }: BreakingVersion): string {
  return `  ${name} (version ${version}): ${reason}`;
}
