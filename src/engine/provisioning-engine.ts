import type { QueryEngine } from './query-engine.ts';

/**
 * The same engine, which makes a project's database and users before the project is first used in this
 * process. A provisioning that failed is tried again with the next use.
 */
export function withProvisioning(engine: QueryEngine): QueryEngine {
  const provisioned = new Map<number, Promise<void>>();

  function ensure(projectId: number): Promise<void> {
    const known = provisioned.get(projectId);
    if (known !== undefined) return known;
    const work = engine.provision(projectId);
    provisioned.set(projectId, work);
    work.catch(() => provisioned.delete(projectId));
    return work;
  }

  return {
    ...engine,
    provision: ensure,
    async query(query, signal) {
      await ensure(query.projectId);
      return engine.query(query, signal);
    },
    async stream(query, signal) {
      await ensure(query.projectId);
      return engine.stream(query, signal);
    },
    async describe(statement) {
      await ensure(statement.projectId);
      return engine.describe(statement);
    },
    async tables(projectId) {
      await ensure(projectId);
      return engine.tables(projectId);
    },
    async createTableFrom(table, signal) {
      await ensure(table.projectId);
      return engine.createTableFrom(table, signal);
    },
    async estimateRows(statement) {
      await ensure(statement.projectId);
      return engine.estimateRows(statement);
    },
    async deprovision(projectId) {
      provisioned.delete(projectId);
      await engine.deprovision(projectId);
    },
  };
}
