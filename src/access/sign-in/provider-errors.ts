/** What an OpenID provider responded with, and what the client library refused, as the reason why a sign-in failed. */
import * as oidc from 'openid-client';
import { SignInError } from './sign-in-error.ts';

/**
 * @param mayBeFault whether JSON that is not what the provider has to send is a fault of the provider, which refuses nobody;
 * while somebody signs in, it refuses them.
 * @throws SignInError
 */
export async function withSignInErrors<T>(
  work: () => Promise<T>,
  { mayBeFault = false }: { readonly mayBeFault?: boolean } = {},
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toSignInError(error, mayBeFault);
  }
}

/** Errors with which a person returns who has refused, or done less than the provider requires; others are faults. */
const persons = [
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
];

function toSignInError(error: unknown, mayBeFault: boolean): SignInError {
  if (error instanceof SignInError) return error;
  if (error instanceof oidc.AuthorizationResponseError) {
    const failure = persons.includes(error.error) ? 'cancelled' : 'unavailable';
    return new SignInError(failure, `the provider responded with ${error.error}`, error);
  }
  if (error instanceof oidc.ResponseBodyError) {
    const isPersons = error.error === 'invalid_grant' && error.status < 500;
    const failure = isPersons ? 'not_accepted' : 'unavailable';
    return new SignInError(failure, `the provider refused: ${error.error}`, error);
  }
  const named = issuerOf(error);
  if (named !== null)
    return new SignInError('unavailable', `OIDC_ISSUER has to be ${named}, exactly`, error);
  if (error instanceof oidc.ClientError && !isFault(error, mayBeFault))
    return new SignInError('not_accepted', `${error.message} (${error.code})`, error);
  return new SignInError('unavailable', `the provider cannot be used: ${reasonOf(error)}`, error);
}

/** What a provider names itself that was found under another name; null otherwise. */
function issuerOf(error: unknown): string | null {
  const isOther =
    error instanceof oidc.ClientError && error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED';
  const { attribute, body } = (isOther ? error.cause : {}) as {
    readonly attribute?: string;
    readonly body?: { readonly issuer?: unknown };
  };
  const issuer = attribute === 'issuer' ? body?.issuer : undefined;
  return typeof issuer === 'string' ? issuer.slice(0, 300) : null;
}

/**
 * Of the causes only those with a code, which come from the network or TLS: the message of any other may quote what the
 * provider sent.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const reasons = [error.message];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    if (!('code' in cause) || typeof cause.code !== 'string') continue;
    const { code, message } = cause;
    reasons.push(message.includes(code) ? message : `${code} ${message}`.trim());
  }
  return reasons.join(': ');
}

/** The library's codes for a response that does not come from an OpenID provider, as opposed to an unacceptable one. */
const invalidResponses = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
];

function isFault({ code, cause }: oidc.ClientError, mayBeFault: boolean): boolean {
  if (code === undefined || invalidResponses.includes(code)) return true;
  // The library has one code for JSON that lacks something, which it then names, and for a token that the provider has not signed.
  const found = cause instanceof Error ? cause.cause : undefined;
  return mayBeFault && code === 'OAUTH_INVALID_RESPONSE' && 'body' in Object(found);
}
