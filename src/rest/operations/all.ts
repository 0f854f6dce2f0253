import type { Route } from '../route.ts';
import { create } from './create.ts';
import { createVariable } from './create-variable.ts';
import { currentKey } from './current-key.ts';
import { currentUser } from './current-user.ts';
import { deleteEndpoint } from './delete.ts';
import { deleteVariable } from './delete-variable.ts';
import { endpointUsage } from './endpoint-usage.ts';
import { executionLog, projectLog } from './execution-log.ts';
import { graphqlSchema } from './graphql-schema.ts';
import { lastExecutionTimes } from './last-execution-times.ts';
import { list } from './list.ts';
import { listVariables } from './list-variables.ts';
import { materializationPreview } from './materialization-preview.ts';
import { materializationStatus } from './materialization-status.ts';
import { openapi } from './openapi.ts';
import { project } from './project.ts';
import { projectOpenapi } from './project-openapi.ts';
import { putRows } from './put-rows.ts';
import { query } from './query.ts';
import { retrieve } from './retrieve.ts';
import { retrieveVariable } from './retrieve-variable.ts';
import { runGet, runPost } from './run.ts';
import { table } from './table.ts';
import { tables } from './tables.ts';
import { update } from './update.ts';
import { updateVariable } from './update-variable.ts';
import { usage } from './usage.ts';
import { usageAdvice } from './usage-advice.ts';
import { versions } from './versions.ts';

/** Every operation of the REST interface, in documentation order. */
export const operations: readonly Route[] = [
  list,
  create,
  retrieve,
  update,
  deleteEndpoint,
  materializationStatus,
  openapi,
  runGet,
  runPost,
  versions,
  lastExecutionTimes,
  materializationPreview,
  query,
  tables,
  table,
  executionLog,
  listVariables,
  createVariable,
  retrieveVariable,
  updateVariable,
  deleteVariable,
  project,
  currentUser,
  currentKey,
  projectOpenapi,
  putRows,
  graphqlSchema,
  usage,
  endpointUsage,
  projectLog,
  usageAdvice,
];

/** Their GraphQL documents, keyed by their own text. */
export const documents: Readonly<Record<string, string>> = Object.fromEntries(
  operations.flatMap(({ documents: own }) => own.map((document) => [document, document])),
);
