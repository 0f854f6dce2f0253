/** Why a sign-in failed. The console has a sentence for each. */
const signInFailures = [
  'cancelled',
  'not_begun',
  'not_accepted',
  'no_rights',
  'email_taken',
  'unavailable',
] as const;

export type SignInFailure = (typeof signInFailures)[number];

/** The message is for the log; it contains no token. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
  readonly failure: SignInFailure;

  constructor(failure: SignInFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}
