/** Cookies of the service's own pages (RFC 6265). */
import type { HeaderReader } from './message.ts';

export interface Cookie {
  /** Without the prefix that a secure one gets. */
  readonly name: string;
  /** Characters of base64url. */
  readonly value: string;
  readonly maxAgeSeconds: number;
  readonly sameSite: 'Strict' | 'Lax';
  /** Whether the service is reached by https. */
  readonly isSecure: boolean;
}

/** With this prefix a browser takes a cookie from this very host alone, and over https. */
function fullName({ name, isSecure }: Pick<Cookie, 'name' | 'isSecure'>): string {
  return isSecure ? `__Host-${name}` : name;
}

/** For scripts out of reach. */
export function writeCookie(cookie: Cookie): string {
  const { value, maxAgeSeconds, sameSite, isSecure } = cookie;
  const secure = isSecure ? '; Secure' : '';
  return `${fullName(cookie)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** Null for one that was not sent, and for one with characters that none of ours has. */
export function readCookie(
  headers: HeaderReader,
  cookie: Pick<Cookie, 'name' | 'isSecure'>,
): string | null {
  const wanted = `${fullName(cookie)}=`;
  const sent = headers.get('cookie')?.split(/[;,] */) ?? [];
  const value = sent.find((pair) => pair.startsWith(wanted))?.slice(wanted.length) ?? '';
  return /^[\w-]+$/.test(value) ? value : null;
}
