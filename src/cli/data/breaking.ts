import { invalidInput } from '../../errors/service-error.ts';
import { findBreaking, type TableChange } from '../../tables/breaking-endpoints.ts';
import { describeBreaking } from '../../tables/require-unbroken.ts';
import type { Session } from '../session.ts';

/** Throws `invalid_input`, listing the saved endpoints that the change would break, unless it is forced. */
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
    `Cannot ${change.act} ${change.table}, because that would break saved endpoints:\n${lines.join('\n')}\nNothing was changed. Use --force to ${change.act} it anyway.`,
  );
}
