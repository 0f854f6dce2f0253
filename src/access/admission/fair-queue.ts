/**
 * The order in which queued requests get a slot, project by project. Independent of time and errors. A slot goes to the
 * project that holds the fewest, on a tie to the one served least recently; within a project, to the first request
 * whose key may hold one more.
 */
export interface FairQueue<T extends SlotRequest> {
  /** Takes a slot at once. False when none is free, or an earlier request of the project is waiting. */
  takeFree(request: SlotRequest): boolean;
  add(request: T): void;
  /** False when it is no longer queued. */
  remove(request: T): boolean;
  /** Takes a slot for the next request and returns that request; null when none may have one. */
  takeNext(): T | null;
  release(request: SlotRequest): void;
  /** Slots that the project holds, and its queued requests. */
  project(projectId: number): { readonly running: number; readonly waiting: number };
  /** The project's queued requests, oldest first. */
  queuedOf(projectId: number): readonly T[];
  /** Queued requests of the key within the project. */
  waitingOfKey(projectId: number, keyId: string): number;
  running(): number;
  waiting(): number;
  /** Projects that hold a slot or wait for one. */
  activeProjects(): number;
}

export interface SlotRequest {
  readonly projectId: number;
  readonly keyId: string;
  /** Maximum slots that the project and the key may hold at once. */
  readonly projectSlots: number;
  readonly keySlots: number;
}

interface Project<T> {
  readonly waiting: T[];
  readonly runningOfKey: Map<string, number>;
  running: number;
  /** The turn in which it last got a slot. */
  servedAt: number;
}

export function openFairQueue<T extends SlotRequest>(slots: number): FairQueue<T> {
  const projects = new Map<number, Project<T>>();
  let running = 0;
  let waiting = 0;
  let turn = 0;

  function projectOf(id: number): Project<T> {
    const existing = projects.get(id);
    if (existing !== undefined) return existing;
    const project: Project<T> = { waiting: [], runningOfKey: new Map(), running: 0, servedAt: 0 };
    projects.set(id, project);
    return project;
  }

  function canRun(project: Project<T>, request: SlotRequest): boolean {
    const ofKey = project.runningOfKey.get(request.keyId) ?? 0;
    return running < slots && project.running < request.projectSlots && ofKey < request.keySlots;
  }

  function take(project: Project<T>, keyId: string): void {
    turn += 1;
    running += 1;
    project.running += 1;
    project.servedAt = turn;
    project.runningOfKey.set(keyId, (project.runningOfKey.get(keyId) ?? 0) + 1);
  }

  function removeIdle(id: number, project: Project<T>): void {
    if (project.running === 0 && project.waiting.length === 0) projects.delete(id);
  }

  return {
    takeFree(request) {
      const project = projectOf(request.projectId);
      const isFree = canRun(project, request) && !project.waiting.some((w) => canRun(project, w));
      if (isFree) take(project, request.keyId);
      else removeIdle(request.projectId, project);
      return isFree;
    },
    add(request) {
      projectOf(request.projectId).waiting.push(request);
      waiting += 1;
    },
    remove(request) {
      const project = projects.get(request.projectId);
      const at = project?.waiting.indexOf(request) ?? -1;
      if (project === undefined || at === -1) return false;
      project.waiting.splice(at, 1);
      waiting -= 1;
      removeIdle(request.projectId, project);
      return true;
    },
    takeNext() {
      if (running >= slots || waiting === 0) return null;
      let best: { readonly project: Project<T>; readonly next: T } | null = null;
      for (const project of projects.values()) {
        if (best !== null && !goesBefore(project, best.project)) continue;
        const next = project.waiting.find((request) => canRun(project, request));
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
      removeIdle(projectId, project);
    },
    project(id) {
      const project = projects.get(id);
      return { running: project?.running ?? 0, waiting: project?.waiting.length ?? 0 };
    },
    queuedOf: (id) => [...(projects.get(id)?.waiting ?? [])],
    waitingOfKey: (id, keyId) =>
      projects.get(id)?.waiting.filter((request) => request.keyId === keyId).length ?? 0,
    running: () => running,
    waiting: () => waiting,
    activeProjects: () => projects.size,
  };
}

function goesBefore(one: Project<unknown>, other: Project<unknown>): boolean {
  if (one.running !== other.running) return one.running < other.running;
  return one.servedAt < other.servedAt;
}
