import type { AccessDeps } from '../access/deps.ts';
import type { QueryEngine } from '../engine/query-engine.ts';

export interface TableDeps extends AccessDeps {
  readonly engine: QueryEngine;
}
