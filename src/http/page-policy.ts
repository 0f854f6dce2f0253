/**
 * The `Content-Security-Policy` of a page: nothing comes from or goes to another host, and no script is inline. Its
 * libraries write style elements and attributes, and draw icons and fonts from `data:` addresses.
 *
 * @param more directives of the page's own.
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
