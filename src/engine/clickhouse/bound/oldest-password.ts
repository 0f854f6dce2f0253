/** Finds out whether another rotation would remove the password that the engine expects. */
import type { EngineUser, ProjectBinding } from '../../../model/project-binding.ts';
import { maxFormer } from '../../../model/project-binding.ts';
import { EngineError } from '../errors/engine-error.ts';
import { type EngineClient, openEngineClient } from '../http/http-client.ts';
import { rowSettings } from '../http/session.ts';

const TIMEOUT_MS = 20_000;

/**
 * The users whose oldest retained password is the only one that the engine accepts.
 *
 * @throws ServiceError `engine_unavailable` when the engine does not respond.
 */
export async function usersOnOldestPassword({
  url,
  reader,
  writer,
}: ProjectBinding): Promise<readonly string[]> {
  const client = openEngineClient({ url });
  const found: string[] = [];
  try {
    for (const user of writer === null ? [reader] : [reader, writer])
      if (await expectsOldest(client, user)) found.push(user.user);
  } finally {
    client.close();
  }
  return found;
}

async function expectsOldest(
  client: EngineClient,
  { user, password, former = [] }: EngineUser,
): Promise<boolean> {
  if (former.length < maxFormer) return false;
  for (const each of [password, ...former.slice(0, -1)])
    if (await isAccepted(client, user, each)) return false;
  return isAccepted(client, user, former.at(-1) ?? '');
}

async function isAccepted(client: EngineClient, user: string, password: string): Promise<boolean> {
  const login = { user, password };
  try {
    await client.send({ login, sql: 'SELECT 1', settings: rowSettings, timeoutMs: TIMEOUT_MS });
    return true;
  } catch (error) {
    if (error instanceof EngineError) return false;
    throw error;
  }
}
