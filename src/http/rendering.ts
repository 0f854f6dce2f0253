import type { ContentEncoding } from './compress.ts';
import type { PreparedHeaders } from './written-headers.ts';

/** The headers of a request by which the representation of a response is chosen. */
export interface Accepted {
  readonly acceptEncoding: string | null;
  /** Null where the request is not conditional. */
  readonly ifNoneMatch: string | null;
}

/** All of a response but its body. */
export interface Rendering {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: the response is for its caller alone. */
  readonly head: PreparedHeaders | undefined;
  /** Names the body among those of all responses. */
  readonly bodyName: string;
  readonly encoding: ContentEncoding | null;
}

/** Where a response that many callers get has the rendering that was made of it last. */
export interface RenderingSlot {
  last: (Accepted & { readonly rendering: Rendering }) | null;
}
