const prefixes = ['/api/projects/', '/api/environments/'] as const;
const ENDING = '/graphql';

/** The project, as the caller wrote it, whose data graph is at the path; null for any other path. */
export function projectOfGraph(path: string): string | null {
  // Parsed by hand, because every data graph request passes here.
  const length = path.endsWith('/') ? path.length - 1 : path.length;
  if (!path.startsWith(ENDING, length - ENDING.length)) return null;
  const prefix = prefixes.find((one) => path.startsWith(one));
  if (prefix === undefined) return null;
  const project = path.slice(prefix.length, length - ENDING.length);
  if (project === '' || project.includes('/')) return null;
  return project.includes('%') ? decoded(project) : project;
}

function decoded(project: string): string | null {
  try {
    return decodeURIComponent(project);
  } catch {
    return null;
  }
}
