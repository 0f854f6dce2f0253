import { createHash } from 'node:crypto';
import type { RunResponse } from '../runs/run-response.ts';

/** The content sent to a run's subscribers: its response, with a content tag. */
export interface RunContent {
  readonly run: RunResponse;
  readonly tag: string;
}

/**
 * Equal for responses with the same rows of the same version, whichever process computed them and when. An ETag
 * differs, since it also covers the time of the rows.
 */
export function contentTagOf(run: RunResponse): string {
  const { version, limit, offset, hasMore, columns } = run;
  return createHash('sha256')
    .update(JSON.stringify([version, limit, offset, hasMore, columns]))
    .update(run.rows)
    .digest('base64url')
    .slice(0, 27);
}
