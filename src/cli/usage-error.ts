/** A command that cannot run as typed. The message explains what to change. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
