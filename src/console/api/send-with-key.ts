/** What is sent with the key of the session, whether by `fetch` or otherwise. */
import { askForKey } from './provider.ts';
import { currentKey, forgetKey, millisecondsLeft } from './session.ts';

/**
 * A key of some minutes may be over because the page slept. It is asked for again before anything large is sent in vain. Where it is refused
 * all the same nothing was done with it, so the same is sent once more with a new one. Where there is none, or that is refused as well, nobody
 * is signed in any more.
 *
 * @param isRefused whether the answer says that the service does not take the key.
 */
export async function sendWithKey<Answer>(
  send: (key: string) => Promise<Answer>,
  isRefused: (answer: Answer) => boolean,
): Promise<Answer> {
  const left = millisecondsLeft();
  const fresh = left !== null && left <= 0 ? await askForKey() : null;
  const key = fresh ?? currentKey() ?? '';
  const answer = await send(key);
  if (!isRefused(answer) || key !== (currentKey() ?? '')) return answer;
  const renewed = millisecondsLeft() === null ? null : await askForKey();
  if (renewed === null) {
    forgetKey();
    return answer;
  }
  const second = await send(renewed);
  if (isRefused(second)) forgetKey();
  return second;
}
