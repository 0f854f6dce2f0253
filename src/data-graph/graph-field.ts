import type { GraphShape } from './shape.ts';

/** A field of the data graph. */
export interface GraphField {
  readonly endpointId: string;
  readonly endpointName: string;
  /** That it shows and, where it is not the current one, runs. */
  readonly version: number;
  /** Whether it is the endpoint's own field; otherwise that of an older version. */
  readonly isCurrent: boolean;
  readonly shape: GraphShape;
}
