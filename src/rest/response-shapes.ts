/** What aliases cannot say of a body: members that are there or not, and the envelopes. */

type Body = Readonly<Record<string, unknown>>;

/**
 * The documented materialization object; while it is off, it says only whether and why not it could be on. What the
 * document answered becomes the body: nobody else has it, and to copy it costs more than to write it as JSON, which
 * leaves out what is undefined.
 */
export function toMaterialization(value: unknown): Body {
  const on = value as Record<string, unknown>;
  if (on.enabled !== true) return { can_materialize: on.can_materialize, reason: on.reason };
  on.enabled = undefined;
  return on;
}

/** An endpoint or a version as its document answered it; it becomes the body, too. */
export function toEndpointBody(value: unknown): Body {
  const body = value as Record<string, unknown>;
  body.materialization = toMaterialization(body.materialization);
  return body;
}

interface Connection {
  readonly totalCount: number;
  readonly edges: readonly { readonly node: unknown }[];
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
  /** Absolute, with the query string of the request. */
  readonly url: URL;
}

export function toList(connection: unknown, page: Page): Body {
  const { totalCount: count, edges } = connection as Connection;
  const { limit, offset } = page;
  return {
    count,
    next: offset + limit < count ? pageUrl(page, offset + limit) : null,
    previous: offset > 0 ? pageUrl(page, Math.max(0, offset - limit)) : null,
    results: edges.map(({ node }) => toEndpointBody(node)),
  };
}

function pageUrl({ url, limit }: Page, offset: number): string {
  const next = new URL(url);
  next.searchParams.set('limit', String(limit));
  next.searchParams.set('offset', String(offset));
  return next.toString();
}

/** Row 11: the documented query status, of which only `results` says something. */
export function toExecutionTimes(
  times: unknown,
  call: { readonly teamId: number; readonly asked: number },
): Body {
  const rows = times as readonly { readonly name: string; readonly executedAt: string }[];
  return {
    query_status: {
      complete: true,
      dashboard_id: null,
      end_time: null,
      error: false,
      error_message: null,
      expiration_time: null,
      id: '',
      insight_id: null,
      labels: null,
      pickup_time: null,
      query_async: true,
      query_progress: null,
      results: call.asked === 0 ? null : rows.map(({ name, executedAt }) => [name, executedAt]),
      start_time: null,
      task_id: null,
      team_id: call.teamId,
    },
  };
}
