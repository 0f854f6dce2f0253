/** Of arguments that many fields share. */
export const argumentDescriptions = {
  projectId: 'Id of the project, or @current for a key of exactly one.',
  name: 'Name of the endpoint, matched exactly.',
  version: 'Number of a version; the latest when absent.',
} as const;
