/** Fetches data from a URL on this machine. */
import { Readable, Transform } from 'node:stream';
import { UsageError } from '../usage-error.ts';
import type { DataSource } from './data-files.ts';

const maxRedirects = 5;
/** Timeout for the start of the response, and between its parts. */
const silenceMs = 60_000;
const maxBytes = 64 * 2 ** 30;

/**
 * The body, decoded if it has a transfer encoding. Throws a UsageError for anything but a complete success response.
 */
export async function fetchData({ at, name }: DataSource): Promise<Readable> {
  let url = new URL(at);
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), silenceMs);
    const response = await get(url, silence.signal, name).finally(() => clearTimeout(timer));
    const to = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || to === null)
      return bodyOf(response, silence, name);
    await response.body?.cancel();
    url = nextUrl(url, to, name);
  }
  throw new UsageError(`${name} redirects more than ${maxRedirects} times.`);
}

async function get(url: URL, signal: AbortSignal, name: string): Promise<Response> {
  const { username, password } = url;
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const headers = username === '' ? {} : { authorization: `Basic ${login.toString('base64')}` };
  try {
    return await fetch(bare, {
      signal,
      redirect: 'manual',
      headers: { ...headers, 'accept-encoding': 'identity' },
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = signal.aborted ? `no response within ${silenceMs / 1000} s` : String(cause);
    throw new UsageError(`${name} cannot be reached: ${reason}.`, { cause: error });
  }
}

/** Never redirects from https to http; credentials are only sent to the host that they were given for. */
function nextUrl(from: URL, location: string, name: string): URL {
  if (!URL.canParse(location, from)) throw new UsageError(`${name} redirects to an invalid URL.`);
  const to = new URL(location, from);
  const isAllowed =
    to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:');
  if (!isAllowed)
    throw new UsageError(
      `${name} redirects to a ${to.protocol} URL; only http: and https: are followed.`,
    );
  if (to.host === from.host && to.username === '') {
    to.username = from.username;
    to.password = from.password;
  }
  return to;
}

function bodyOf(response: Response, silence: AbortController, name: string): Readable {
  if (response.status !== 200 || response.body === null)
    throw new UsageError(`${name} responded with status ${response.status}.`);
  const idle = () => setTimeout(() => silence.abort(), silenceMs);
  let timer = idle();
  let bytes = 0;
  const watch = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      clearTimeout(timer);
      timer = idle();
      bytes += chunk.length;
      done(
        bytes > maxBytes ? new UsageError(`${name} is larger than ${maxBytes} bytes.`) : null,
        chunk,
      );
    },
  });
  watch.once('close', () => clearTimeout(timer));
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  body.once('error', (error) => {
    watch.destroy(
      new UsageError(`The download of ${name} was interrupted: ${error.message}.`, {
        cause: error,
      }),
    );
  });
  watch.once('close', () => body.destroy());
  return body.pipe(watch);
}
