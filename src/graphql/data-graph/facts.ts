/** Metadata of a run as JSON texts, by field name. */
import { contentTagOf } from '../../live/content.ts';
import type { RunResponse } from '../../runs/run-response.ts';

type Write = (run: RunResponse) => string;
type Writers = Readonly<Record<string, Write>>;

const text =
  (read: (run: RunResponse) => unknown): Write =>
  (run) =>
    JSON.stringify(read(run));

/** Fields of each run type. */
export const runWriters: Writers = {
  hasMore: (run) => String(run.hasMore),
  isCached: (run) => String(run.isCached),
  lastRefresh: text((run) => run.lastRefresh),
  servedFrom: text((run) => run.servedFrom),
};

/** Fields of `RunFacts`. */
export const factWriters: Writers = {
  version: (run) => String(run.version),
  executionId: text((run) => run.executionId),
  contentId: text(contentTagOf),
  limit: (run) => String(run.limit),
  offset: (run) => String(run.offset),
  nextCursor: text((run) => run.nextCursor),
  cacheTargetAge: text((run) => run.cacheTargetAge),
  isStale: (run) => String(run.staleReason !== null),
  staleReason: text((run) => run.staleReason),
  inlineReason: text((run) => run.inlineReason),
  materializedAt: text((run) => run.materializedAt),
  cacheKey: text((run) => run.debug?.cacheKey ?? null),
  query: text((run) => run.debug?.query ?? null),
};
