/** Facts collected while a request is handled, for its log line and its response headers. */
import { currentRequestScope, type RequestScope } from '../lib/request-scope.ts';

/** The remaining budget of the rate limit that the caller will reach first. */
export interface RateState {
  /** Requests per minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the minute ends. */
  readonly resetSeconds: number;
}

export class RequestFacts implements RequestScope {
  readonly requestId: string;
  /** Whether the caller chose the id, and so may search for it in the log. */
  readonly isNamed: boolean;
  /** Prefix of the key that was sent, if the key is known. */
  keyPrefix: string | null = null;
  /** Projects of the key. */
  projectIds: readonly number[] = [];
  /** As the caller wrote it: a number, or `@current`. */
  project: string | number | null = null;
  endpoint: string | null = null;
  version: number | null = null;
  /** Whether it ran an endpoint. */
  isRun = false;
  /** Codes of the errors in a GraphQL response. */
  codes: readonly string[] = [];
  rate: RateState | null = null;

  constructor(requestId: string, isNamed: boolean) {
    this.requestId = requestId;
    this.isNamed = isNamed;
  }

  noteRun(
    projectId: number,
    run: { readonly name: string; readonly version: number | null },
  ): void {
    this.isRun = true;
    this.project = projectId;
    this.endpoint = run.name;
    this.version = run.version;
  }

  /** The target of the request, as far as it is known. */
  noteTarget(project: unknown, endpoint: unknown, version: unknown = null): void {
    if (typeof project === 'string' || typeof project === 'number') this.project = project;
    if (typeof endpoint === 'string' && endpoint !== '') this.endpoint = endpoint;
    if (typeof version === 'number') this.version = version;
  }
}

/** Null outside of a request. */
export function currentFacts(): RequestFacts | null {
  const scope = currentRequestScope();
  return scope instanceof RequestFacts ? scope : null;
}

/** The `ratelimit-…` headers, as alternating names and values. */
export function rateHeaders({ limit, remaining, resetSeconds }: RateState): readonly string[] {
  return [
    'ratelimit-limit',
    String(limit),
    'ratelimit-remaining',
    String(remaining),
    'ratelimit-reset',
    String(resetSeconds),
  ];
}

/** The same as header text. */
export function rateLines({ limit, remaining, resetSeconds }: RateState): string {
  return `ratelimit-limit: ${limit}\r\nratelimit-remaining: ${remaining}\r\nratelimit-reset: ${resetSeconds}\r\n`;
}
