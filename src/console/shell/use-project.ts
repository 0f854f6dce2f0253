import { useParams } from 'react-router';

/** The id of the project in the address. */
export function useProject(): string {
  return useParams().project ?? '@current';
}

/** The address of a view of a project; `name` is that of an endpoint. */
export function viewPath(project: string, ...parts: readonly string[]): string {
  return `/project/${[project, ...parts].map(encodeURIComponent).join('/')}`;
}
