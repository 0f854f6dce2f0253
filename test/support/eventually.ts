import { setTimeout as delay } from 'node:timers/promises';

/** Asks again until the answer is neither false nor an error; gives up, with the last error, after about 20 s. */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
): Promise<void> {
  let last: unknown;
  for (let attempt = 0; attempt < 1000; attempt++) {
    try {
      if (await check()) return;
    } catch (error) {
      last = error;
    }
    await delay(20);
  }
  throw new Error(`it never came about that ${what}`, { cause: last });
}
