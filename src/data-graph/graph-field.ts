import type { GraphShape } from './shape.ts';

export interface GraphField {
  readonly endpointId: string;
  readonly endpointName: string;
  /** The version that it shows and, unless current, runs. */
  readonly version: number;
  /** Whether it is the endpoint's own field; otherwise it is that of an older version. */
  readonly isCurrent: boolean;
  readonly shape: GraphShape;
}
