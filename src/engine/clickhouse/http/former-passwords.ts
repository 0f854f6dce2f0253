/**
 * Logins whose password was changed here before an administrator changed it at the engine: uses whichever the engine
 * accepts.
 */
import { EngineError } from '../errors/engine-error.ts';
import type { EngineClient, EngineRequest, EngineResponse } from './http-client.ts';

const AUTHENTICATION_FAILED = 516;

export function withFormerPasswords(client: EngineClient): EngineClient {
  /** The password accepted last, by user. */
  const taken = new Map<string, string>();

  async function send(request: EngineRequest): Promise<EngineResponse> {
    const { former = [], ...login } = request.login;
    const { user, password } = login;
    if (former.length === 0) return client.send(request);
    const known = taken.get(user);
    const all = [password, ...former];
    const order = known === undefined ? all : [known, ...all.filter((each) => each !== known)];
    let refusal: unknown;
    for (const each of order) {
      try {
        const response = await client.send({ ...request, login: { ...login, password: each } });
        taken.set(user, each);
        return response;
      } catch (error) {
        if (!isRefusedLogin(error)) throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  }

  return { ...client, send };
}

function isRefusedLogin(error: unknown): boolean {
  return error instanceof EngineError && error.code === AUTHENTICATION_FAILED;
}
