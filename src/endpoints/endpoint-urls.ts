/** The URLs of one endpoint, for every response that contains one. */

interface Named {
  readonly projectId: number;
  readonly name: string;
}

/** Of the REST run. */
export function runPath({ projectId, name }: Named): string {
  return `/api/projects/${projectId}/endpoints/${name}/run`;
}

/** Of the page for people: GraphiQL with a run of this endpoint prepared. */
export function pagePath({ projectId, name }: Named): string {
  return `/project/${projectId}/endpoints/${name}`;
}
