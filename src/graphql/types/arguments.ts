/** Arguments that several fields share. */
import { builder } from '../builder.ts';

export const projectIdDescription =
  'Id of the project, or @current for a key with exactly one project.';

export const projectArgs = builder.args((t) => ({
  projectId: t.id({ required: true, description: projectIdDescription }),
}));

export const endpointArgs = builder.args((t) => ({
  ...projectArgs,
  name: t.string({ required: true, description: 'Name of the endpoint, matched exactly.' }),
}));

export const versionArgs = builder.args((t) => ({
  ...endpointArgs,
  version: t.int({ description: 'Number of a version; default: the current version.' }),
}));

/** Arguments of one execution. */
export const executionArgs = builder.args((t) => ({
  ...projectArgs,
  id: t.id({
    required: true,
    description: 'Execution id, or the client query id of the run.',
  }),
}));

/** Offset pagination of lists, in addition to cursors. */
export const offsetArg = builder.args((t) => ({
  offset: t.int({ description: 'Number of rows to skip from the start.' }),
}));
