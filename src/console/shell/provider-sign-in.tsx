import { useEffect, useState } from 'react';
import { askForKey, providerUrl, signInHere } from '../api/provider.ts';
import { millisecondsLeft } from '../api/session.ts';
import { Note } from '../ui/parts.tsx';

const failures: Readonly<Record<string, string>> = {
  cancelled: 'Signing in was cancelled.',
  not_begun:
    'That sign-in was not begun in this browser, or took longer than ten minutes. Sign in again.',
  not_accepted: 'The answer of the sign-in provider did not pass the checks. Sign in again.',
  no_rights:
    'You have signed in, but nothing here is for your account. Ask an administrator of this service, or sign in as somebody else.',
  email_taken:
    'Your email address belongs to another user here, and the provider does not say that it is yours. Ask an administrator of this service.',
  unavailable:
    'Signing in by the provider is not possible at the moment: it, or what this service stores sign-ins in, does not answer. Try again in a minute, or use a key.',
};

/** Whether it is known yet if somebody is signed in; begins to ask, unless the page says that it failed. */
export function useProviderSignIn(): 'asking' | 'known' {
  const [state, setState] = useState<'asking' | 'known'>(
    providerUrl() === null || failureOf() !== null ? 'known' : 'asking',
  );
  useEffect(() => {
    if (state === 'asking') void askForKey().finally(() => setState('known'));
  }, [state]);
  return state;
}

function failureOf(): string | null {
  return new URLSearchParams(location.search).get('sign-in');
}

/** Nothing without a provider. */
export function ProviderSignIn() {
  const url = providerUrl();
  const failure = failureOf();
  if (url === null) return null;
  const isAgain = failure === 'no_rights' || failure === 'email_taken';
  return (
    <>
      {failure !== null && (
        <Note tone="warn">
          <p role="alert">{failures[failure] ?? 'Signing in did not come about.'}</p>
        </Note>
      )}
      <a className="button primary" href={signInHere(url, isAgain)}>
        {isAgain ? 'Sign in as somebody else' : 'Sign in with your organization'}
      </a>
      <p className="muted small">Or by key:</p>
    </>
  );
}

const soonestMs = 5_000;

/** Asks for the key again in the second half of its time. */
export function useHeldSignIn(): void {
  useEffect(() => {
    let timer = 0;
    const plan = () => {
      const left = millisecondsLeft();
      if (left === null) return;
      timer = window.setTimeout(
        () => void askForKey().finally(plan),
        Math.max(soonestMs, left * 0.7),
      );
    };
    plan();
    return () => clearTimeout(timer);
  }, []);
}
