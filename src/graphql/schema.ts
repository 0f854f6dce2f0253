import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import { checkPages } from './page.ts';
import './types/scalars.ts';
import './types/user.ts';
import './types/project.ts';
import './types/materialization-status.ts';
import './types/query-status.ts';
import './types/endpoint-version.ts';
import './types/endpoint-run.ts';
import './types/endpoint.ts';
import './types/endpoint-queries.ts';
import './types/endpoint-mutations.ts';
import './types/materialization-preview.ts';
import './types/api-key.ts';

/** The part of the schema that is the same for every project. */
export const schema: GraphQLSchema = checkPages(builder.toSchema());
