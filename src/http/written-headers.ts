import { validateHeaderName, validateHeaderValue } from 'node:http';

/** Headers in the two representations in which they are sent. */
export interface WrittenHeaders {
  /** Name, value, name, value …. */
  readonly flat: readonly string[];
  /** As sent, each line with its line break. */
  readonly text: string;
}

/** Throws for an invalid header name or value. */
export function writeHeaders(flat: readonly string[]): WrittenHeaders {
  let text = '';
  for (let at = 0; at < flat.length; at += 2) {
    const [name = '', value = ''] = [flat[at], flat[at + 1]];
    validateHeaderName(name);
    validateHeaderValue(name, value);
    text += `${name}: ${value}\r\n`;
  }
  return { flat, text };
}

/**
 * Caches the written headers of a repeatedly sent response, together with those of `added`. One slot is enough: callers
 * that get the same response mostly come from one origin.
 */
export class PreparedHeaders {
  added: object | null = null;
  written: WrittenHeaders | null = null;
}
