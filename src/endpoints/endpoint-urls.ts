/** The URLs of one endpoint, for every response that contains one. */

interface Named {
  readonly projectId: number;
  readonly name: string;
}

/** The two spellings of a project's address, which mean the same. */
export type PathPrefix = 'projects' | 'environments';

/** Of the REST run. */
export function runPath({ projectId, name }: Named, prefix: PathPrefix = 'projects'): string {
  return `/api/${prefix}/${projectId}/endpoints/${name}/run`;
}

/** Of the page for people: GraphiQL with a run of this endpoint prepared. */
export function pagePath({ projectId, name }: Named): string {
  return `/project/${projectId}/endpoints/${name}`;
}
