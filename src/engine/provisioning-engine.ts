import type { QueryEngine } from './query-engine.ts';

/** Provisions a project before this process first uses it. A failed attempt is retried at the next use. */
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

  async function whenProvisioned<T>(projectId: number, work: () => Promise<T>): Promise<T> {
    await provision(projectId);
    return work();
  }

  return {
    ...engine,
    provision,
    query: (query, signal) => whenProvisioned(query.projectId, () => engine.query(query, signal)),
    stream: (query, signal) => whenProvisioned(query.projectId, () => engine.stream(query, signal)),
    describe: (statement) => whenProvisioned(statement.projectId, () => engine.describe(statement)),
    tables: (projectId) => whenProvisioned(projectId, () => engine.tables(projectId)),
    readableTables: (projectId) =>
      whenProvisioned(projectId, () => engine.readableTables(projectId)),
    tablesRead: (statement) =>
      whenProvisioned(statement.projectId, () => engine.tablesRead(statement)),
    hiddenTable: (statement) =>
      whenProvisioned(statement.projectId, () => engine.hiddenTable(statement)),
    createTableFrom: (table, signal) =>
      whenProvisioned(table.projectId, () => engine.createTableFrom(table, signal)),
    chooseNode: (statement) =>
      whenProvisioned(statement.projectId, () => engine.chooseNode(statement)),
    estimateRows: (statement) =>
      whenProvisioned(statement.projectId, () => engine.estimateRows(statement)),
    explain: (statement) => whenProvisioned(statement.projectId, () => engine.explain(statement)),
    async deprovision(projectId) {
      provisioned.delete(projectId);
      await engine.deprovision(projectId);
    },
  };
}
