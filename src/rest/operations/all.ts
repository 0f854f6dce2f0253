import type { Route } from '../route.ts';
import { create } from './create.ts';
import { deleteEndpoint } from './delete.ts';
import { lastExecutionTimes } from './last-execution-times.ts';
import { list } from './list.ts';
import { materializationPreview } from './materialization-preview.ts';
import { materializationStatus } from './materialization-status.ts';
import { openapi } from './openapi.ts';
import { projectOpenapi } from './project-openapi.ts';
import { retrieve } from './retrieve.ts';
import { runGet, runPost } from './run.ts';
import { update } from './update.ts';
import { versions } from './versions.ts';

/** Every operation of the REST interface, in the order of its documentation. */
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
  projectOpenapi,
];

/** Their GraphQL documents, each under its own text. */
export const documents: Readonly<Record<string, string>> = Object.fromEntries(
  operations.flatMap(({ documents: own }) => own.map((document) => [document, document])),
);
