/** The URLs of one endpoint, for every response that contains one. */

interface Named {
  readonly projectId: number;
  readonly name: string;
}

/** The two equivalent spellings of a project's path. */
export type PathPrefix = 'projects' | 'environments';

/** Path of the REST run. */
export function runPath({ projectId, name }: Named, prefix: PathPrefix = 'projects'): string {
  return `/api/${prefix}/${projectId}/endpoints/${name}/run`;
}

/** Path of the human-readable page: GraphiQL with a run of this endpoint prepared. */
export function pagePath({ projectId, name }: Named): string {
  return `/project/${projectId}/endpoints/${name}`;
}
