/**
 * Routes engine calls by project: projects with their own database share one engine, and each bound project has an
 * engine that connects with that project's own users.
 */
import type { SqlAnalysis } from '../sql/sql-analysis.ts';
import type { Overrun } from './execution-origin.ts';
import type { LoggedExecution, LoggedWork } from './logged-work.ts';
import type { NodeCompletion, StoredTableName } from './node-completion.ts';
import type { EngineQuery, QueryEngine } from './query-engine.ts';

export interface BoundEngine {
  /** Changes whenever the binding does. */
  readonly revision: number;
  readonly engine: QueryEngine;
  /** Closes this engine once its running queries have ended, after a newer one has replaced it. */
  readonly retire: () => void;
}

export interface EngineSource {
  /** Serves the projects that have their own databases. */
  readonly own: QueryEngine;
  /** Null for a project that is not bound. */
  readonly findRevision: (projectId: number) => Promise<number | null>;
  readonly open: (projectId: number) => Promise<BoundEngine | null>;
}

interface Known {
  /** The engine found by the last lookup. */
  readonly engine: QueryEngine;
  /** Null when the project is not bound. */
  readonly revision: number | null;
  readonly retire: () => void;
  /** The newest data revision of the project that this lookup covers. */
  dataRevision: number;
  isCurrent: boolean;
}

interface Looking {
  readonly dataRevision: number;
  readonly work: Promise<QueryEngine>;
}

interface Router extends EngineSource {
  readonly known: Map<number, Known>;
  readonly looking: Map<number, Looking>;
  readonly listeners: Map<(overrun: Overrun) => void, (() => void)[]>;
  /** Number of binding changes announced to this process. */
  changes: number;
}

export function withBoundProjects(source: EngineSource): QueryEngine {
  const router: Router = {
    ...source,
    known: new Map(),
    looking: new Map(),
    listeners: new Map(),
    changes: 0,
  };
  const { own } = source;
  const of = (projectId: number) => engineOf(router, projectId);
  const ofQuery = ({ projectId, dataRevision }: Pick<EngineQuery, 'projectId' | 'dataRevision'>) =>
    engineOf(router, projectId, dataRevision);
  return {
    query: async (query, signal) => (await ofQuery(query)).query(query, signal),
    stream: async (query, signal) => (await ofQuery(query)).stream(query, signal),
    describe: async (statement) => (await of(statement.projectId)).describe(statement),
    analysis: (projectId) => analysisOf(router, projectId),
    functions: async (projectId) => (await of(projectId)).functions(projectId),
    provision: async (projectId) => (await of(projectId)).provision(projectId),
    deprovision: async (projectId) => (await of(projectId)).deprovision(projectId),
    tables: async (projectId) => (await of(projectId)).tables(projectId),
    readableTables: async (projectId) => (await of(projectId)).readableTables(projectId),
    tablesRead: async (statement) => (await of(statement.projectId)).tablesRead(statement),
    sourceState: async (source) => (await of(source.projectId)).sourceState(source),
    hiddenTable: async (statement) => (await of(statement.projectId)).hiddenTable(statement),
    createTableFrom: async (table, signal) =>
      (await of(table.projectId)).createTableFrom(table, signal),
    dropTable: async (projectId, table) => (await of(projectId)).dropTable(projectId, table),
    digest: async (statement, signal) => (await of(statement.projectId)).digest(statement, signal),
    shape: async (statement) => (await of(statement.projectId)).shape(statement),
    difference: async (compared, signal) =>
      (await of(compared.expected.projectId)).difference(compared, signal),
    countValues: async (stored, signal) => (await of(stored.projectId)).countValues(stored, signal),
    sizeStates: async (states, signal) => (await of(states.projectId)).sizeStates(states, signal),
    listStoredTables: async (projectId) => (await of(projectId)).listStoredTables(projectId),
    completeNodes: (find, signal) => completeNodes(router, find, signal),
    readBehind: () => own.readBehind(),
    async chooseNode(statement) {
      // This process may not have received the change that made the sync due.
      await own.readBehind();
      await (await of(statement.projectId)).chooseNode(statement);
    },
    estimateRows: async (statement) => (await of(statement.projectId)).estimateRows(statement),
    explain: async (statement) => (await of(statement.projectId)).explain(statement),
    freezeTables: async (one, signal) => (await of(one.projectId)).freezeTables(one, signal),
    readFrozen: async (frozen, statement) =>
      (await of(statement.projectId)).readFrozen(frozen, statement),
    dropCopies: async (projectId, table) => (await of(projectId)).dropCopies(projectId, table),
    schemaFingerprint: async (projectId) => (await of(projectId)).schemaFingerprint(projectId),
    whyNot: async (projectId, what) => (await of(projectId)).whyNot(projectId, what),
    cancel: async (queryId, projectId) => (await ofRunning(router, projectId)).cancel(queryId),
    progress: async (queryId, projectId) => (await ofRunning(router, projectId)).progress(queryId),
    requestProgress: async (request) =>
      (await ofRunning(router, request.projectId)).requestProgress(request),
    loggedWork: (executions) => loggedWork(router, executions),
    refresh: (projectId, hasNewColumns) => refresh(router, projectId, hasNewColumns),
    onOverrun: (listener) => listen(router, listener),
    nodes: () => own.nodes(),
    ping: () => own.ping(),
    async close() {
      const bound = new Set([...router.known.values()].map(({ engine }) => engine));
      bound.delete(own);
      for (const engine of bound) await engine.close();
      await own.close();
    },
  };
}

/**
 * A known project costs one map lookup.
 *
 * @param dataRevision the revision the caller has read. Every change of a binding raises it, and a caller may read it
 * before the change feed announces it here.
 */
function engineOf(
  router: Router,
  projectId: number,
  dataRevision = 0,
): QueryEngine | Promise<QueryEngine> {
  const known = router.known.get(projectId);
  return known?.isCurrent === true && known.dataRevision >= dataRevision
    ? known.engine
    : lookUp(router, projectId, dataRevision);
}

/** The engine of a running query. Without a project id, the shared engine. */
function ofRunning(
  router: Router,
  projectId: number | undefined,
): QueryEngine | Promise<QueryEngine> {
  return projectId === undefined ? router.own : engineOf(router, projectId);
}

/** Single flight per project; lookups for newer revisions run one after another. */
function lookUp(router: Router, projectId: number, dataRevision: number): Promise<QueryEngine> {
  const earlier = router.looking.get(projectId);
  if (earlier !== undefined && earlier.dataRevision >= dataRevision) return earlier.work;
  const before = earlier?.work.catch(() => undefined) ?? Promise.resolve();
  const work = before
    .then(() => find(router, projectId, dataRevision))
    .finally(() => {
      if (router.looking.get(projectId)?.work === work) router.looking.delete(projectId);
    });
  router.looking.set(projectId, { dataRevision, work });
  return work;
}

async function find(router: Router, projectId: number, dataRevision: number): Promise<QueryEngine> {
  const before = router.known.get(projectId);
  const { changes } = router;
  // A change that arrives from here on invalidates the entry again.
  if (before !== undefined) before.isCurrent = true;
  // The journal lists a missed table change before the data revision that the change causes.
  await router.own.readBehind().catch((error: unknown) => {
    if (before === undefined || before.dataRevision < dataRevision) throw error;
    before.isCurrent = false;
  });
  try {
    const revision = await router.findRevision(projectId);
    if (before !== undefined && before.revision === revision) {
      before.dataRevision = Math.max(before.dataRevision, dataRevision);
      return before.engine;
    }
    const opened = revision === null ? null : await router.open(projectId);
    return replace(router, projectId, {
      opened,
      dataRevision,
      isCurrent: router.changes === changes,
    });
  } catch (error) {
    // While the metadata database is unreachable, the last known binding applies, as it does for endpoints.
    if (before === undefined) throw error;
    before.isCurrent = false;
    return before.engine;
  }
}

interface Found {
  readonly opened: BoundEngine | null;
  readonly dataRevision: number;
  /** False when something changed during the lookup; the next use then repeats it. */
  readonly isCurrent: boolean;
}

function replace(
  router: Router,
  projectId: number,
  { opened, dataRevision, isCurrent }: Found,
): QueryEngine {
  const { known, own, listeners } = router;
  const before = known.get(projectId);
  const { engine = own, revision = null, retire = () => undefined } = opened ?? {};
  known.set(projectId, { engine, revision, retire, dataRevision, isCurrent });
  if (opened !== null)
    for (const [listener, removers] of listeners) removers.push(engine.onOverrun(listener));
  before?.retire();
  return engine;
}

/**
 * Each bound project's tables are completed by its own engine. `find` is not called when the shared engine has one
 * node.
 */
async function completeNodes(
  router: Router,
  find: () => Promise<readonly StoredTableName[]>,
  signal: AbortSignal | undefined,
): Promise<NodeCompletion> {
  const byEngine = new Map<QueryEngine, StoredTableName[]>();
  const own = await router.own.completeNodes(async () => {
    for (const table of await find()) {
      const engine = await engineOf(router, table.projectId);
      byEngine.set(engine, [...(byEngine.get(engine) ?? []), table]);
    }
    return byEngine.get(router.own) ?? [];
  }, signal);
  byEngine.delete(router.own);
  const done = [own];
  for (const [engine, tables] of byEngine)
    done.push(await engine.completeNodes(async () => tables, signal));
  return {
    copied: done.reduce((sum, { copied }) => sum + copied, 0),
    lacking: done.flatMap(({ lacking }) => lacking),
  };
}

/** Queries each engine once. */
async function loggedWork(
  router: Router,
  executions: readonly LoggedExecution[],
): Promise<LoggedWork> {
  const byEngine = new Map<QueryEngine, LoggedExecution[]>();
  for (const execution of executions) {
    // A project that is gone, or whose binding cannot be read now, is of the shared engine, which knows nothing of it.
    const engine = await Promise.resolve(engineOf(router, execution.projectId)).catch(
      () => router.own,
    );
    const of = byEngine.get(engine) ?? [];
    of.push(execution);
    byEngine.set(engine, of);
  }
  const found = await Promise.all([...byEngine].map(([engine, of]) => engine.loggedWork(of)));
  return {
    works: new Map(found.flatMap(({ works }) => [...works])),
    problems: new Map(found.flatMap(({ problems }) => [...problems])),
  };
}

function refresh(router: Router, projectId: number | null, hasNewColumns = false): void {
  router.changes += 1;
  router.own.readBehind().catch(() => undefined);
  const changed = projectId === null ? [...router.known.values()] : [router.known.get(projectId)];
  for (const one of changed) if (one !== undefined) one.isCurrent = false;
  for (const engine of new Set([router.own, ...changed.map((one) => one?.engine)]))
    engine?.refresh(projectId, hasNewColumns);
}

function listen(router: Router, listener: (overrun: Overrun) => void): () => void {
  const engines = new Set([router.own, ...[...router.known.values()].map(({ engine }) => engine)]);
  const removers = [...engines].map((engine) => engine.onOverrun(listener));
  router.listeners.set(listener, removers);
  return () => {
    router.listeners.delete(listener);
    for (const remove of removers) remove();
  };
}

/** Looks the engine up for each request, because callers may keep an analysis. */
function analysisOf(router: Router, projectId: number): SqlAnalysis {
  const analysis = async () => {
    const engine = await engineOf(router, projectId);
    // Provisioning determines which settings the user of a bound project accepts.
    if (engine !== router.own) await engine.provision(projectId);
    return engine.analysis(projectId);
  };
  return {
    plain: async (sql) => (await analysis()).plain(sql),
    format: async (sql) => (await analysis()).format(sql),
    tokens: async (sql) => (await analysis()).tokens(sql),
    ast: async (sql, params) => (await analysis()).ast(sql, params),
    tree: async (sql, params) => (await analysis()).tree(sql, params),
    describe: async (sql, params) => (await analysis()).describe(sql, params),
    functions: async () => (await analysis()).functions(),
    views: async () => (await analysis()).views(),
    vectorIndexes: async () => (await analysis()).vectorIndexes(),
  };
}
