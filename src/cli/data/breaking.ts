import { invalidInput } from '../../errors/service-error.ts';
import { findBreaking, type TableChange } from '../../tables/breaking-endpoints.ts';
import { describeBreaking } from '../../tables/require-unbroken.ts';
import type { Session } from '../session.ts';

/** Throws `invalid_input` with the saved endpoints that the change would break, unless it is forced. */
export async function requireUnbroken(
  session: Session,
  change: TableChange & { readonly force: boolean; readonly act: string },
): Promise<void> {
  if (change.force) return;
  const found = await findBreaking(session, change);
  if (found.length === 0) return;
  const lines = describeBreaking(found).map((line) => `  ${line}`);
  throw invalidInput(
    'force',
    `To ${change.act} ${change.table} would break saved endpoints, so nothing was changed:\n${lines.join('\n')}\n--force does it anyway.`,
  );
}
