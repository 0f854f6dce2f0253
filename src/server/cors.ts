import { originsOf } from '../config/cors-origins.ts';
import { factHeaderNames } from '../rest/render-rows.ts';

/**
 * Which browser origins may read responses. Credentials are never allowed, because keys are sent in a header, not in a
 * cookie.
 */
export interface Cors {
  /** Response headers for this origin, the same object each time; empty when it may not read the response. */
  headers(origin: string | null): Readonly<Record<string, string>>;
  /** Additional headers of a preflight response. */
  preflight(origin: string | null): Readonly<Record<string, string>>;
}

/** All methods that any path accepts. */
export const allowedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

const rateHeaderNames = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const exposed = [
  ...['ETag', 'Age', 'Retry-After', 'X-Request-Id'],
  ...rateHeaderNames,
  ...factHeaderNames,
].join(', ');

/** @param setting comma-separated origins, `*` for any, empty for none. */
export function openCors(setting: string): Cors {
  const origins = new Set(originsOf(setting));
  const any = origins.has('*');

  const vary = any || origins.size === 0 ? {} : { vary: 'Origin' };
  const toAllowed = (origin: string): Readonly<Record<string, string>> => ({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
    ...vary,
  });
  const toAny = toAllowed('*');
  const allowed = new Map([...origins].map((origin) => [origin, toAllowed(origin)]));

  function headers(origin: string | null): Readonly<Record<string, string>> {
    if (origin === null) return vary;
    return any ? toAny : (allowed.get(origin) ?? vary);
  }

  return {
    headers,
    preflight(origin) {
      const allowed = headers(origin);
      if (allowed['access-control-allow-origin'] === undefined) return allowed;
      return {
        ...allowed,
        'access-control-allow-methods': allowedMethods,
        'access-control-allow-headers':
          'Authorization, Cache-Control, Content-Type, If-Match, If-None-Match, Last-Event-ID, Traceparent, Tracestate, X-GraphQL-Event-Stream-Token, X-Request-Id',
        'access-control-max-age': '86400',
      };
    },
  };
}
