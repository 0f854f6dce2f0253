import type { QueryEngine } from './query-engine.ts';

/**
 * The same engine, which provisions a project before this process first uses it. A provisioning that failed is tried again
 * with the next use.
 */
export function withProvisioning(engine: QueryEngine): QueryEngine {
  const provisioned = new Map<number, Promise<void>>();

  function provision(projectId: number): Promise<void> {
    const earlier = provisioned.get(projectId);
    if (earlier !== undefined) return earlier;
    const work = engine.provision(projectId);
    provisioned.set(projectId, work);
    work.catch(() => provisioned.delete(projectId));
    return work;
  }

  const provisioning =
    <Query extends { readonly projectId: number }, Rest extends readonly unknown[], Result>(
      method: (query: Query, ...rest: Rest) => Promise<Result>,
    ) =>
    async (query: Query, ...rest: Rest): Promise<Result> => {
      await provision(query.projectId);
      return method(query, ...rest);
    };

  return {
    ...engine,
    provision,
    query: provisioning(engine.query),
    stream: provisioning(engine.stream),
    describe: provisioning(engine.describe),
    createTableFrom: provisioning(engine.createTableFrom),
    estimateRows: provisioning(engine.estimateRows),
    async tables(projectId) {
      await provision(projectId);
      return engine.tables(projectId);
    },
    async deprovision(projectId) {
      provisioned.delete(projectId);
      await engine.deprovision(projectId);
    },
  };
}
