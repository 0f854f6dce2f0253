import { useParams } from 'react-router';

/** The id of the project in the URL. */
export function useProject(): string {
  return useParams().project ?? '@current';
}

/** The path of a project's view; `name` is an endpoint's. */
export function viewPath(project: string, ...parts: readonly string[]): string {
  return `/project/${[project, ...parts].map(encodeURIComponent).join('/')}`;
}
