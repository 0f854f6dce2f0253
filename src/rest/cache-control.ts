/** What a request's `Cache-Control` means for a run. Source: RFC 9111, 5.2.1, and RFC 5861. */
import { invalidInput } from '../errors/service-error.ts';
import { maxSeconds } from '../runs/freshness.ts';
import type { RunInput } from '../runs/run-request.ts';

/** The supported directives with seconds, and the inputs that they set. */
const inputByDirective: ReadonlyMap<string, 'maxAgeSeconds' | StaleInput> = new Map([
  ['max-age', 'maxAgeSeconds'],
  ['stale-while-revalidate', 'staleWhileRevalidateSeconds'],
  ['stale-if-error', 'staleIfErrorSeconds'],
]);
type StaleInput = 'staleWhileRevalidateSeconds' | 'staleIfErrorSeconds';

const directive = /^([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*(?:"([^"]*)"|(.*)))?$/s;

/**
 * Ignores unknown directives, as the standard requires. If a directive is repeated, the stricter one counts. Throws
 * `invalid_input` for seconds that are not a whole number, since the caller's bound must not be guessed.
 *
 * @param isConditional whether the request has If-None-Match. Browsers' `fetch` adds no-cache to such requests, so it
 * is ignored there.
 */
export function readCacheControl(header: string | null, isConditional: boolean): Partial<RunInput> {
  if (header === null) return {};
  const input: { -readonly [K in keyof RunInput]?: RunInput[K] } = {};
  for (const part of header.match(/(?:[^,"]|"[^"]*")+/g) ?? []) {
    const [, name = '', quoted, bare] = directive.exec(part.trim()) ?? [];
    const known = inputByDirective.get(name.toLowerCase());
    if (known !== undefined) {
      const seconds = toSeconds(name.toLowerCase(), quoted ?? bare ?? '');
      input[known] = Math.min(seconds, input[known] ?? maxSeconds);
    }
    const isRefused = ['no-cache', 'no-store'].includes(name.toLowerCase());
    if (isRefused && !isConditional) input.refresh = 'force';
  }
  return input;
}

function toSeconds(name: string, text: string): number {
  if (/^\d+$/.test(text.trim())) return Math.min(Number(text), maxSeconds);
  throw invalidInput(
    'Cache-Control',
    `Cache-Control: ${name} must be an integer number of seconds.`,
  );
}
