import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import { describeConnections } from './describe-connections.ts';
import { resolveLoadedFields } from './loaded-fields.ts';
import { checkPages } from './page.ts';
import { limitRootFields } from './rate-limited.ts';
import './types/scalars.ts';
import './types/user.ts';
import './types/project.ts';
import './types/sql-function.ts';
import './types/table.ts';
import './types/project-mutations.ts';
import './types/materialization-status.ts';
import './types/query-status.ts';
import './types/execution-log.ts';
import './types/usage.ts';
import './types/usage-advice.ts';
import './types/node.ts';
import './types/endpoint-version.ts';
import './types/endpoint-run.ts';
import './types/endpoint.ts';
import './types/project-openapi.ts';
import './types/endpoint-queries.ts';
import './types/endpoint-mutations.ts';
import './types/saved-variable.ts';
import './types/materialization-preview.ts';
import './types/query-check.ts';
import './types/graph-change.ts';
import './types/api-key.ts';
import './types/audit-entry.ts';
import './types/health.ts';
import './types/subscriptions.ts';

/** The part of the schema that is the same for every project. */
export const schema: GraphQLSchema = limitRootFields(
  checkPages(describeConnections(resolveLoadedFields(builder.toSchema()))),
);
