/** Sends requests with the session's key, by `fetch` or otherwise. */
import { requestKey } from './provider.ts';
import { currentKey, forgetKey, millisecondsLeft } from './session.ts';

/**
 * A short-lived key may have expired while the page was suspended, so it is renewed before anything large is sent in
 * vain. A request that is refused nevertheless had no effect, so it is retried once with a new key. If there is none,
 * or that is refused too, nobody is signed in any more.
 *
 * @param isRefused whether the response means that the key was not accepted.
 */
export async function sendWithKey<Result>(
  send: (key: string) => Promise<Result>,
  isRefused: (result: Result) => boolean,
): Promise<Result> {
  const left = millisecondsLeft();
  const fresh = left !== null && left <= 0 ? await requestKey() : null;
  const key = fresh ?? currentKey() ?? '';
  const result = await send(key);
  if (!isRefused(result) || key !== (currentKey() ?? '')) return result;
  const renewed = millisecondsLeft() === null ? null : await requestKey();
  if (renewed === null) {
    forgetKey();
    return result;
  }
  const second = await send(renewed);
  if (isRefused(second)) forgetKey();
  return second;
}
