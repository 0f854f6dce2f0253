import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiError } from '../api/client.ts';
import { readSession } from '../api/read-session.ts';
import { keepKey } from '../api/session.ts';
import { Button, ErrorNote } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { Brand } from './brand.tsx';
import { ProviderSignIn } from './provider-sign-in.tsx';

/** Tests the key before storing it. */
export function SignIn() {
  useTitle('Sign in');
  const [key, setKey] = useState('');
  const attempt = useMutation<unknown, ApiError, string>({
    mutationFn: (tried) => readSession({ key: tried }),
    onSuccess: (_response, tried) => keepKey(tried),
  });
  return (
    <main className="alone">
      <form
        className="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          attempt.mutate(key.trim());
        }}
      >
        <Brand />
        <h1>Sign in</h1>
        <ProviderSignIn />
        <label className="field">
          <span>API key</span>
          <input
            type="password"
            autoComplete="off"
            spellCheck={false}
            required
            placeholder="qdk_…"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
        {attempt.error !== null && <ErrorNote error={attempt.error} />}
        <Button look="primary" type="submit" busy={attempt.isPending}>
          Sign in
        </Button>
        <p className="muted small">
          The key stays in this tab until you close it. Make one with{' '}
          <code>querydock key create</code>.
        </p>
      </form>
    </main>
  );
}
