import { useEffect, useState } from 'react';
import { providerUrl, requestKey, signInHere } from '../api/provider.ts';
import { millisecondsLeft } from '../api/session.ts';
import { Note } from '../ui/parts.tsx';

const failures: Readonly<Record<string, string>> = {
  cancelled: 'Signing in was cancelled.',
  not_begun:
    'This sign-in was not started in this browser, or took longer than ten minutes. Sign in again.',
  not_accepted: 'The response of the sign-in provider could not be verified. Sign in again.',
  no_rights:
    'You are signed in, but your account has no access here. Ask an administrator of this service, or sign in with another account.',
  email_taken:
    'Your email address belongs to another user here, and the provider does not say that it is yours. Ask an administrator of this service.',
  unavailable:
    'Signing in with your organization is not possible at the moment. Try again in a minute, or use a key.',
};

/** Whether it is known if somebody is signed in; starts checking, unless the page reports a failure. */
export function useProviderSignIn(): 'asking' | 'known' {
  const [state, setState] = useState<'asking' | 'known'>(
    providerUrl() === null || failureOf() !== null ? 'known' : 'asking',
  );
  useEffect(() => {
    if (state === 'asking') void requestKey().finally(() => setState('known'));
  }, [state]);
  return state;
}

function failureOf(): string | null {
  return new URLSearchParams(location.search).get('sign-in');
}

/** Renders nothing without a provider. */
export function ProviderSignIn() {
  const url = providerUrl();
  const failure = failureOf();
  if (url === null) return null;
  const isAgain = failure === 'no_rights' || failure === 'email_taken';
  return (
    <>
      {failure !== null && (
        <Note tone="warn">
          <p role="alert">{failures[failure] ?? 'Signing in failed.'}</p>
        </Note>
      )}
      <a className="button primary" href={signInHere(url, isAgain)}>
        {isAgain ? 'Sign in with another account' : 'Sign in with your organization'}
      </a>
      <p className="muted small">Or use a key:</p>
    </>
  );
}

const soonestMs = 5_000;

/** Renews the key in the second half of its lifetime. */
export function useHeldSignIn(): void {
  useEffect(() => {
    let timer = 0;
    const plan = () => {
      const left = millisecondsLeft();
      if (left === null) return;
      timer = window.setTimeout(
        () => void requestKey().finally(plan),
        Math.max(soonestMs, left * 0.7),
      );
    };
    plan();
    return () => clearTimeout(timer);
  }, []);
}
