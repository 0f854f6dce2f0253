import type { ContentEncoding } from './compress.ts';
import type { PreparedHeaders } from './written-headers.ts';

/** The request headers that select the representation of a response. */
export interface Accepted {
  readonly acceptEncoding: string | null;
  /** Null when the request is not conditional. */
  readonly ifNoneMatch: string | null;
}

/** Everything in a response but its body. */
export interface Rendering {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent when the response is only for its caller. */
  readonly head: PreparedHeaders | undefined;
  /** Identifies the body among those of all responses. */
  readonly bodyName: string;
  readonly encoding: ContentEncoding | null;
}

/** Holds the last rendering of a response that many callers get. */
export interface RenderingSlot {
  last: (Accepted & { readonly rendering: Rendering }) | null;
}
