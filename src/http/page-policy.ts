/**
 * The `Content-Security-Policy` of a page: nothing is loaded from or sent to another host, and no script is inline. The
 * page's libraries write style elements and attributes, and use icons and fonts from `data:` URLs.
 *
 * @param more additional directives of the page.
 */
export function pagePolicy(...more: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    ...more,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
