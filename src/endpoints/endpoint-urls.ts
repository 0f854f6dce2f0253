/** Where one endpoint is reached; every place that tells a caller an address takes it from here. */

interface Named {
  readonly projectId: number;
  readonly name: string;
}

/** The path that runs it. */
export function runPath({ projectId, name }: Named): string {
  return `/api/projects/${projectId}/endpoints/${name}/run`;
}

/** The page for people: GraphiQL with a run of this endpoint typed in. */
export function pagePath({ projectId, name }: Named): string {
  return `/project/${projectId}/endpoints/${name}`;
}
