/** What is sent again around the body of an answer to a known run. */
import { type ContentEncoding, encodingFor, formName } from '../http/compress.ts';
import { KeptHead } from '../http/written-headers.ts';
import type { RunAnswer } from '../runs/run-response.ts';
import type { KnownRun } from './repeated-runs.ts';
import type { GraphQLRequest } from './trace.ts';

/** All of a response but its body. */
export interface Start {
  readonly known: KnownRun;
  readonly acceptEncoding: string | null;
  readonly encoding: ContentEncoding | null;
  /** Of its body. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly head: KeptHead;
}

const starts = new WeakMap<RunAnswer, Start>();

/** Kept with the answer, for the text that asked last. */
export function startOf(known: KnownRun, run: RunAnswer, { headers }: GraphQLRequest): Start {
  const acceptEncoding = headers.get('accept-encoding');
  const kept = starts.get(run);
  if (kept !== undefined && kept.known === known && kept.acceptEncoding === acceptEncoding)
    return kept;
  const encoding = encodingFor(run.rows.length, acceptEncoding);
  const start: Start = {
    known,
    acceptEncoding,
    encoding,
    name: formName(`${run.etag}/graphql/${known.id}`, encoding),
    headers: {
      'content-type': known.contentType,
      vary: 'Accept-Encoding',
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
    },
    head: new KeptHead(),
  };
  starts.set(run, start);
  return start;
}
