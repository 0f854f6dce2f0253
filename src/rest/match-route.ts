/** Paths below `/api/projects/:project_id` and `/api/environments/:project_id`, which mean the same. */
import { ownValue } from '../lib/own-value.ts';

interface Row {
  readonly method: string;
  /** Below the prefix: `/endpoints/:name/run`. */
  readonly path: string;
}

export interface Found<R> {
  readonly row: R;
  readonly params: PathParams;
}

export type Match<R> =
  | ({ readonly kind: 'found' } & Found<R>)
  | { readonly kind: 'wrong_method'; readonly allow: readonly string[] }
  | { readonly kind: 'unknown' };

/** Used as variables of GraphQL documents. `name` is the named segment, whatever the path calls it; empty without one. */
export type PathParams = Readonly<Record<'projectId' | 'name', string>>;

export type RouteMatcher<R> = (method: string, path: string) => Match<R>;

const PREFIX = /^\/api\/(?:projects|environments)\/([^/]+)(\/[^?]*)$/;
const alsoServedAs: Readonly<Record<string, string>> = { HEAD: 'GET', PUT: 'PATCH' };

/**
 * Matches by the path first, literal segments before named ones, and by the method after, so that a reserved name is
 * never matched as an endpoint's. PUT counts as PATCH, HEAD as GET; one trailing slash is accepted.
 */
export function openRouteMatcher<R extends Row>(rows: readonly R[]): RouteMatcher<R> {
  const byPath = new Map<string, R[]>();
  for (const row of rows) byPath.set(row.path, [...(byPath.get(row.path) ?? []), row]);
  const paths = [...byPath].sort(([a], [b]) => Number(a.includes(':')) - Number(b.includes(':')));
  return (method, path) => {
    const prefixed = PREFIX.exec(path);
    const projectId = decode(prefixed?.[1] ?? '');
    if (prefixed === null || projectId === null) return { kind: 'unknown' };
    const segments = (prefixed[2] ?? '').replace(/\/$/, '').split('/');
    for (const [pattern, candidates] of paths) {
      const name = matchSegments(pattern.split('/'), segments);
      if (name === null) continue;
      const served = ownValue(alsoServedAs, method) ?? method;
      const row = candidates.find((candidate) => candidate.method === served);
      if (row !== undefined) return { kind: 'found', row, params: { projectId, name } };
      return { kind: 'wrong_method', allow: allowedMethods(candidates) };
    }
    return { kind: 'unknown' };
  };
}

/** The named segment, empty when there is none; null when the paths differ. */
function matchSegments(pattern: readonly string[], segments: readonly string[]): string | null {
  if (pattern.length !== segments.length) return null;
  let name = '';
  for (const [at, segment] of pattern.entries()) {
    const text = decode(segments[at] ?? '');
    if (text === null) return null;
    if (segment.startsWith(':')) name = text;
    else if (segment !== text) return null;
  }
  return name === '' && pattern.some((segment) => segment.startsWith(':')) ? null : name;
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
