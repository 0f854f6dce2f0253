/**
 * Paths below `/api/projects/:project_id` and its synonym `/api/environments/:project_id`, and standalone ones that
 * begin with `/api/`.
 */
import { ownValue } from '../lib/own-value.ts';

interface Row {
  readonly method: string;
  /** Below the prefix: `/endpoints/:name/run`, or `/` for the project itself. Standalone: `/api/users/@me`. */
  readonly path: string;
}

export interface Found<R> {
  readonly row: R;
  readonly params: PathParams;
}

type Match<R> =
  | ({ readonly kind: 'found' } & Found<R>)
  | { readonly kind: 'wrong_method'; readonly allow: readonly string[] }
  | { readonly kind: 'unknown' };

/** Used as variables of GraphQL documents. A parameter that the path lacks is empty. */
export type PathParams = Readonly<Record<'projectId' | 'name' | 'id' | 'table', string>>;

export type RouteMatcher<R> = (method: string, path: string) => Match<R>;

const PREFIX = /^\/api\/(?:projects|environments)\/([^/]+)(\/[^?]*)?$/;
const alsoServedAs: Readonly<Record<string, string>> = { HEAD: 'GET', PUT: 'PATCH' };

/**
 * Matches the path first, literal segments before named ones, and then the method, so that a reserved name never
 * matches as an endpoint's. PUT counts as PATCH unless it has its own row, HEAD as GET; one trailing slash is accepted.
 */
export function openRouteMatcher<R extends Row>(rows: readonly R[]): RouteMatcher<R> {
  const byPath = new Map<string, R[]>();
  for (const row of rows) byPath.set(row.path, [...(byPath.get(row.path) ?? []), row]);
  const patterns = [...byPath]
    .sort(([a], [b]) => Number(a.includes(':')) - Number(b.includes(':')))
    .map(([path, candidates]) => ({
      segments: toSegments(path),
      isAlone: path.startsWith('/api/'),
      candidates,
    }));
  return (method, path) => {
    const prefixed = PREFIX.exec(path);
    const projectId = decode(prefixed?.[1] ?? '');
    if (projectId === null) return { kind: 'unknown' };
    const segments = toSegments(prefixed === null ? path : (prefixed[2] ?? ''));
    for (const pattern of patterns) {
      if (pattern.isAlone !== (prefixed === null)) continue;
      const named = matchSegments(pattern.segments, segments);
      if (named === null) continue;
      const { candidates } = pattern;
      const served = ownValue(alsoServedAs, method) ?? method;
      const row =
        candidates.find((candidate) => candidate.method === method) ??
        candidates.find((candidate) => candidate.method === served);
      const params = { projectId, name: '', id: '', table: '', ...named };
      if (row !== undefined) return { kind: 'found', row, params };
      return { kind: 'wrong_method', allow: allowedMethods(candidates) };
    }
    return { kind: 'unknown' };
  };
}

function toSegments(path: string): readonly string[] {
  return path.replace(/\/$/, '').split('/');
}

/** The named segments; null when the paths differ. */
function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | null {
  if (pattern.length !== segments.length) return null;
  const named: Record<string, string> = {};
  for (const [at, segment] of pattern.entries()) {
    const text = decode(segments[at] ?? '');
    if (text === null) return null;
    if (segment.startsWith(':') && text !== '') named[segment.slice(1)] = text;
    else if (segment !== text) return null;
  }
  return named;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

function allowedMethods(rows: readonly Row[]): readonly string[] {
  const own = rows.map((row) => row.method);
  const aliases = Object.entries(alsoServedAs).flatMap(([alias, method]) =>
    own.includes(method) ? [alias] : [],
  );
  return [...new Set([...own, ...aliases, 'OPTIONS'])].sort();
}
