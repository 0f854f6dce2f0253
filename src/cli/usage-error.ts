/** What the person at the command line did wrong, in one sentence that helps. */
export class UsageError extends Error {
  override readonly name = 'Mistake';
}
