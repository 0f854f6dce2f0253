/**
 * Who comes next of those who wait, project by project. Knows neither time nor errors: a place is given to the
 * project that has the fewest, among equals to the one that got its last place the longest ago; within a
 * project to whoever came first and whose key may have one more.
 */
export interface FairQueue<T extends Waiting> {
  /** Whether a place can be had at once: there is one, and nobody of the project waits for it. */
  takeFree(waiting: Asked): boolean;
  add(waiting: T): void;
  /** False when it does not wait any more. */
  remove(waiting: T): boolean;
  /** Takes the place for the next in line and answers who it is; null when nobody can have one. */
  takeNext(): T | null;
  release(asked: Asked): void;
  /** Of the project: places held, and how many wait. */
  project(projectId: number): { readonly running: number; readonly waiting: number };
  /** Those of the project that wait, in the order in which they came. */
  waitersOf(projectId: number): readonly T[];
  /** Of the key within the project. */
  waitingOfKey(projectId: number, keyId: string): number;
  running(): number;
  waiting(): number;
  /** Projects that hold a place or wait for one. */
  activeProjects(): number;
}

export interface Asked {
  readonly projectId: number;
  readonly keyId: string;
  /** Places that the project and the key may hold at once. */
  readonly projectPlaces: number;
  readonly keyPlaces: number;
}

export type Waiting = Asked;

interface Project<T> {
  readonly waiting: T[];
  readonly runningOfKey: Map<string, number>;
  running: number;
  /** The turn in which it got its last place. */
  servedAt: number;
}

export function openFairQueue<T extends Waiting>(places: number): FairQueue<T> {
  const projects = new Map<number, Project<T>>();
  let running = 0;
  let waiting = 0;
  let turn = 0;

  function projectOf(id: number): Project<T> {
    const known = projects.get(id);
    if (known !== undefined) return known;
    const made: Project<T> = { waiting: [], runningOfKey: new Map(), running: 0, servedAt: 0 };
    projects.set(id, made);
    return made;
  }

  function canRun(project: Project<T>, asked: Asked): boolean {
    const ofKey = project.runningOfKey.get(asked.keyId) ?? 0;
    return running < places && project.running < asked.projectPlaces && ofKey < asked.keyPlaces;
  }

  function take(project: Project<T>, keyId: string): void {
    turn += 1;
    running += 1;
    project.running += 1;
    project.servedAt = turn;
    project.runningOfKey.set(keyId, (project.runningOfKey.get(keyId) ?? 0) + 1);
  }

  function forgetIdle(id: number, project: Project<T>): void {
    if (project.running === 0 && project.waiting.length === 0) projects.delete(id);
  }

  return {
    takeFree(asked) {
      const project = projectOf(asked.projectId);
      const isFree = canRun(project, asked) && !project.waiting.some((w) => canRun(project, w));
      if (isFree) take(project, asked.keyId);
      else forgetIdle(asked.projectId, project);
      return isFree;
    },
    add(asked) {
      projectOf(asked.projectId).waiting.push(asked);
      waiting += 1;
    },
    remove(asked) {
      const project = projects.get(asked.projectId);
      const at = project?.waiting.indexOf(asked) ?? -1;
      if (project === undefined || at === -1) return false;
      project.waiting.splice(at, 1);
      waiting -= 1;
      forgetIdle(asked.projectId, project);
      return true;
    },
    takeNext() {
      if (running >= places || waiting === 0) return null;
      let best: { readonly project: Project<T>; readonly next: T } | null = null;
      for (const project of projects.values()) {
        if (best !== null && !goesBefore(project, best.project)) continue;
        const next = project.waiting.find((asked) => canRun(project, asked));
        if (next !== undefined) best = { project, next };
      }
      if (best === null) return null;
      best.project.waiting.splice(best.project.waiting.indexOf(best.next), 1);
      waiting -= 1;
      take(best.project, best.next.keyId);
      return best.next;
    },
    release({ projectId, keyId }) {
      const project = projectOf(projectId);
      running -= 1;
      project.running -= 1;
      const left = (project.runningOfKey.get(keyId) ?? 0) - 1;
      if (left > 0) project.runningOfKey.set(keyId, left);
      else project.runningOfKey.delete(keyId);
      forgetIdle(projectId, project);
    },
    project(id) {
      const project = projects.get(id);
      return { running: project?.running ?? 0, waiting: project?.waiting.length ?? 0 };
    },
    waitersOf: (id) => [...(projects.get(id)?.waiting ?? [])],
    waitingOfKey: (id, keyId) =>
      projects.get(id)?.waiting.filter((asked) => asked.keyId === keyId).length ?? 0,
    running: () => running,
    waiting: () => waiting,
    activeProjects: () => projects.size,
  };
}

function goesBefore(one: Project<unknown>, other: Project<unknown>): boolean {
  if (one.running !== other.running) return one.running < other.running;
  return one.servedAt < other.servedAt;
}
