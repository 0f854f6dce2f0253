/** What is sent again around the body of an answer to a known run. */
import { bodyName, type ContentEncoding, encodingFor } from '../http/compress.ts';
import { PreparedHeaders } from '../http/written-headers.ts';
import type { RunResponse } from '../runs/run-response.ts';
import type { KnownRun } from './prepare-run.ts';
import type { GraphQLRequest } from './trace.ts';

/** All of a response but its body. */
export interface Start {
  readonly known: KnownRun;
  readonly acceptEncoding: string | null;
  readonly encoding: ContentEncoding | null;
  /** Of its body. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly head: PreparedHeaders;
}

const starts = new WeakMap<RunResponse, Start>();

/** Kept with the answer, for the text that asked last. */
export function startOf(known: KnownRun, run: RunResponse, { headers }: GraphQLRequest): Start {
  const acceptEncoding = headers.get('accept-encoding');
  const kept = starts.get(run);
  if (kept !== undefined && kept.known === known && kept.acceptEncoding === acceptEncoding)
    return kept;
  const encoding = encodingFor(run.rows.length, acceptEncoding);
  const start: Start = {
    known,
    acceptEncoding,
    encoding,
    name: bodyName(`${run.etag}/graphql/${known.id}`, encoding),
    headers: {
      'content-type': known.contentType,
      vary: 'Accept-Encoding',
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
    },
    head: new PreparedHeaders(),
  };
  starts.set(run, start);
  return start;
}
