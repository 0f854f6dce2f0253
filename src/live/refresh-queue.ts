/** Refreshes a project's results, a few at a time, because a load affects all of them at once. */
export interface RefreshQueue {
  /** Does the work when its turn comes. */
  run(projectId: number, work: () => Promise<void>): Promise<void>;
}

export function openRefreshQueue(maxPerProject: number): RefreshQueue {
  const running = new Map<number, number>();
  const waiting = new Map<number, (() => void)[]>();

  async function enter(projectId: number): Promise<void> {
    const count = running.get(projectId) ?? 0;
    if (count < maxPerProject) {
      running.set(projectId, count + 1);
      return;
    }
    const queue = waiting.get(projectId) ?? [];
    waiting.set(projectId, queue);
    await new Promise<void>((turn) => queue.push(turn));
  }

  /** Passes the slot to the next caller. */
  function leave(projectId: number): void {
    const queue = waiting.get(projectId);
    const next = queue?.shift();
    if (next !== undefined) {
      next();
      return;
    }
    waiting.delete(projectId);
    const left = (running.get(projectId) ?? 1) - 1;
    if (left === 0) running.delete(projectId);
    else running.set(projectId, left);
  }

  return {
    async run(projectId, work) {
      await enter(projectId);
      try {
        await work();
      } finally {
        leave(projectId);
      }
    },
  };
}
