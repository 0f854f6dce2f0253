/** Every family of hostile input, with how many of it the short form tries. */
import type { Family } from '../support/family.ts';
import { bodies, largeBodies } from './bodies.ts';
import {
  dataGraphBombs,
  dataGraphByGet,
  dataGraphRequests,
  dataGraphValues,
} from './data-graph.ts';
import { graphqlBombs, graphqlByGet, graphqlRequests } from './graphql.ts';
import { headers } from './headers.ts';
import { queryStrings, targets } from './targets.ts';
import { hugeValues, values, valuesByGraphQL, valuesOfQueryStrings } from './values.ts';
import { randomBytes, wires } from './wires.ts';

export interface Plan {
  readonly family: Family;
  /** Inputs of the short form, over sockets. */
  readonly overSockets: number;
  /** Inputs of the short form past the sockets; 0 where only bytes can say it. */
  readonly inProcess: number;
}

export const families: readonly Plan[] = [
  { family: bodies, overSockets: 200, inProcess: 80 },
  { family: largeBodies, overSockets: 15, inProcess: 0 },
  { family: targets, overSockets: 400, inProcess: 300 },
  { family: queryStrings, overSockets: 200, inProcess: 150 },
  { family: headers, overSockets: 250, inProcess: 0 },
  { family: graphqlRequests, overSockets: 250, inProcess: 150 },
  { family: graphqlByGet, overSockets: 150, inProcess: 80 },
  { family: graphqlBombs, overSockets: 45, inProcess: 0 },
  { family: dataGraphRequests, overSockets: 200, inProcess: 150 },
  { family: dataGraphByGet, overSockets: 120, inProcess: 80 },
  { family: dataGraphBombs, overSockets: 45, inProcess: 0 },
  { family: dataGraphValues, overSockets: 120, inProcess: 120 },
  { family: values, overSockets: 150, inProcess: 60 },
  { family: valuesOfQueryStrings, overSockets: 100, inProcess: 50 },
  { family: valuesByGraphQL, overSockets: 100, inProcess: 50 },
  { family: hugeValues, overSockets: 8, inProcess: 0 },
  { family: wires, overSockets: 600, inProcess: 0 },
  { family: randomBytes, overSockets: 400, inProcess: 0 },
];
