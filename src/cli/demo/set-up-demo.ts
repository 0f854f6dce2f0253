/**
 * Sets up the demo: a project with real data, endpoints and a key. Every step finds what an earlier start has done, so
 * a start that was killed halfway is completed by the next one.
 */
import { createKey } from '../../access/create-key.ts';
import type { LocalNodes } from '../../backends.ts';
import { createEndpoint } from '../../endpoints/create-endpoint.ts';
import type { EngineConnection } from '../../engine/clickhouse/http/connection.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { StartProgress } from '../../lib/progress.ts';
import { hashKey } from '../../model/api-key-hash.ts';
import { noLimits } from '../../model/query-limits.ts';
import type { RunDeps } from '../../runs/deps.ts';
import type { ProjectRecord } from '../../store/project-store.ts';
import { type DemoEndpoint, demoEndpoints } from './demo-endpoints.ts';
import { loadDemoTables } from './demo-tables.ts';
import { spreadDemoTables } from './spread-demo-tables.ts';

export interface DemoDeps {
  readonly core: RunDeps;
  readonly connection: EngineConnection;
  /** Nodes of a multi-node local engine, over which the flights are spread. */
  readonly nodes: LocalNodes | null;
  /** The key of an earlier start; null when it is lost. */
  readonly previousKey: string | null;
  readonly startProgress: StartProgress;
  /** Ends the setup between two steps, and a load at once. */
  readonly signal: AbortSignal;
}

export interface Demo {
  readonly projectId: number;
  readonly apiKey: string;
  /** Whether the flights have a shard on each of several local nodes. */
  readonly isSpread: boolean;
}

const projectName = 'flights';
const keyLabel = 'demo';
const owner = { email: 'demo@querydock.local', firstName: 'Demo' } as const;

/**
 * The key comes last, so a project with a key once had all endpoints; the missing ones were deleted by a
 * user and stay deleted.
 * The tables are always loaded, because nothing in the demo works without them.
 */
export async function setUpDemo(deps: DemoDeps): Promise<Demo> {
  const { core, signal } = deps;
  const user = await core.users.findOrCreateUser(owner);
  const project = await findOrCreateProject(core);
  await core.engine.provision(project.id);
  signal.throwIfAborted();
  const { engine, log } = core;
  await loadDemoTables({ ...deps, engine, log, projectId: project.id });
  signal.throwIfAborted();
  const isSpread =
    deps.nodes !== null &&
    (await spreadDemoTables({ ...deps, ...deps.nodes, projectId: project.id }));
  signal.throwIfAborted();
  const keys = await core.keys.listKeys(project.id);
  const isFinished = keys.some((key) => key.userId === user.id && key.label === keyLabel);
  if (!isFinished) await createEndpoints(deps, { userId: user.id, projectId: project.id });
  const apiKey = (await usableKey(deps, project.id)) ?? (await newKey(core, user.id, project.id));
  return { projectId: project.id, apiKey, isSpread };
}

async function findOrCreateProject({ projects }: RunDeps): Promise<ProjectRecord> {
  const find = async () =>
    (await projects.listProjects()).find((project) => project.name === projectName);
  const found = await find();
  if (found !== undefined) return found;
  try {
    return await projects.createProject(projectName);
  } catch (error) {
    const other = isTaken(error) ? await find() : undefined;
    if (other === undefined) throw error;
    return other;
  }
}

interface DemoOwner {
  readonly userId: number;
  readonly projectId: number;
}

async function createEndpoints({ core, signal }: DemoDeps, owned: DemoOwner): Promise<void> {
  for (const endpoint of demoEndpoints) {
    signal.throwIfAborted();
    const found = await core.endpoints.findEndpoint(owned.projectId, endpoint.name);
    if (found === null) await createDemoEndpoint(core, owned, endpoint);
  }
}

async function createDemoEndpoint(
  core: RunDeps,
  { userId, projectId }: DemoOwner,
  input: DemoEndpoint,
): Promise<void> {
  const principal = {
    keyId: '',
    userId,
    scopes: ['endpoint:write'],
    projectIds: [projectId],
    limits: noLimits,
  } as const;
  try {
    await createEndpoint(core, principal, { projectId: String(projectId), input });
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'unique';
}

/** The previous key if it is valid for this project; null when the demo needs a new one. */
async function usableKey(
  { core, previousKey }: DemoDeps,
  projectId: number,
): Promise<string | null> {
  if (previousKey === null) return null;
  const key = await core.keys.findKeyByHash(hashKey(previousKey));
  if (key === null || key.revokedAt !== null) return null;
  if (key.expiresAt !== null && key.expiresAt <= core.clock.now()) return null;
  return key.projectIds.includes(projectId) ? previousKey : null;
}

async function newKey(core: RunDeps, userId: number, projectId: number): Promise<string> {
  const { key } = await createKey(core, userId, {
    label: keyLabel,
    // People who try the demo load their own data.
    scopes: ['endpoint:write', 'data:write'],
    projectIds: [projectId],
    expiresAt: null,
  });
  return key;
}
