/** Cookies of the service's own pages (RFC 6265). */
import type { HeaderReader } from './message.ts';

export interface Cookie {
  /** Without the prefix that a secure cookie gets. */
  readonly name: string;
  /** base64url characters. */
  readonly value: string;
  readonly maxAgeSeconds: number;
  readonly sameSite: 'Strict' | 'Lax';
  /** Whether the service is reached through https. */
  readonly isSecure: boolean;
}

/** With this prefix, a browser only accepts a cookie set by this very host over https. */
function fullName({ name, isSecure }: Pick<Cookie, 'name' | 'isSecure'>): string {
  return isSecure ? `__Host-${name}` : name;
}

/** HttpOnly, so scripts cannot read it. */
export function writeCookie(cookie: Cookie): string {
  const { value, maxAgeSeconds, sameSite, isSecure } = cookie;
  const secure = isSecure ? '; Secure' : '';
  return `${fullName(cookie)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** Null when it was not sent, or contains characters that our cookies never have. */
export function readCookie(
  headers: HeaderReader,
  cookie: Pick<Cookie, 'name' | 'isSecure'>,
): string | null {
  const wanted = `${fullName(cookie)}=`;
  const sent = headers.get('cookie')?.split(/[;,] */) ?? [];
  const value = sent.find((pair) => pair.startsWith(wanted))?.slice(wanted.length) ?? '';
  return /^[\w-]+$/.test(value) ? value : null;
}
