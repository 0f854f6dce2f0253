/** Asks the engine whether a user has a right. */
import type { Settings } from '../http/request-message.ts';
import type { Rows } from '../http/session.ts';

/** Sends a statement as one user. */
export type Send = (sql: string, settings?: Settings) => Promise<Rows>;

/** Null when it is granted; otherwise what is missing of it. */
export async function lackingRights(send: Send, right: string): Promise<string | null> {
  if (await isGranted(send, right)) return null;
  const parts = partsOf(right);
  const lacking: string[] = [];
  for (const part of parts.length > 1 ? parts : [])
    if (!(await isGranted(send, part))) lacking.push(part);
  return lacking.length > 0 && lacking.length < parts.length
    ? lacking.join(', ')
    : 'it is not granted';
}

export async function isGranted(send: Send, right: string): Promise<boolean> {
  const [row] = await send(`CHECK GRANT ${right}`);
  return Number(row?.[0] ?? 0) === 1;
}

/** `INSERT, DROP TABLE ON stored.*` and `TABLE ENGINE ON A, TABLE ENGINE ON B` as single rights. */
function partsOf(right: string): readonly string[] {
  if (right.includes('(')) return [right];
  const [names = '', on = '', ...more] = right.split(' ON ');
  if (more.length > 0) return right.split(', ');
  return names.split(', ').map((name) => `${name} ON ${on}`);
}
