/**
 * A ClickHouse of two nodes for the files that need one: two local engines that form a cluster, about 260 MB each. Each file starts
 * its own, in about a second.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { openLog } from '../../src/config/open-log.ts';
import type { EngineConnection, EngineLogin } from '../../src/engine/clickhouse/http/connection.ts';
import {
  type EmbeddedEngine,
  openEmbeddedEngine,
} from '../../src/engine/embedded/embedded-engine.ts';
import {
  type LocalCluster,
  type LocalClusters,
  localClusters,
  planCluster,
} from '../../src/engine/embedded/local-cluster.ts';
import { serverFolder } from './memory-folder.ts';
import type { TestEngine } from './test-engine.ts';

type Which = 0 | 1;

export interface TwoNodes {
  /** Without users. */
  readonly urls: readonly [string, string];
  /** Of the first node, with all of them and their cluster. */
  readonly connection: EngineConnection & {
    readonly nodes: readonly string[];
    readonly cluster: string;
  };
  /** The first node alone, for `openTestApp({ servers })`. */
  readonly shared: TestEngine;
  readonly clusters: LocalClusters;
  /** `clusters.every`. */
  readonly cluster: string;
  /** A statement on a node, as the administrator unless another login is given; throws with the engine's message. */
  sql(node: Which, statement: string, login?: EngineLogin): Promise<string>;
  pid(node: Which): number | null;
  /** Its process ends and stays away. */
  kill(node: Which): Promise<void>;
  /** Again, with the same ports, users and data. */
  start(node: Which): Promise<void>;
  /** As a new machine in its place, without any data. */
  replace(node: Which): Promise<void>;
  /** Its process stands still, as that of a machine that is gone; it is restarted after some 20 seconds. */
  freeze(node: Which): void;
  thaw(node: Which): void;
  stop(): Promise<void>;
}

const secret = 'of the two nodes';

/** Each costs time at every start of a node. */
const projects = 60;
/** Those behind are for programs that are given the id of a project. */
const counted = 40;

/** Both have the users of 60 projects, and no database. */
export async function openTwoNodes(): Promise<TwoNodes> {
  const dir = await mkdtemp(path.join(await serverFolder(), 'querydock-two-nodes-'));
  const [firstPlan, secondPlan] = await planCluster(2);
  if (firstPlan === undefined || secondPlan === undefined) throw new Error('two were planned');
  const plans = [firstPlan, secondPlan] as const;
  const folderOf = ({ index }: LocalCluster) => path.join(dir, String(index));
  const open = (cluster: LocalCluster) => openNode(folderOf(cluster), cluster);
  const [first, second] = await Promise.all([open(firstPlan), open(secondPlan)]);
  const nodes: [EmbeddedEngine, EmbeddedEngine] = [first, second];
  const urls = [first.connection.url, second.connection.url] as const;
  const signal = (node: Which, name: 'SIGSTOP' | 'SIGCONT') => {
    const pid = nodes[node].pid();
    if (pid !== null) process.kill(pid, name);
  };
  return {
    urls,
    connection: { ...first.connection, nodes: urls, cluster: localClusters.every },
    shared: { clickhouseUrl: withAdmin(first.connection), secret, takeProjectIds: counter() },
    clusters: localClusters,
    cluster: localClusters.every,
    sql: (node, statement, login = first.connection.admin) => send(urls[node], statement, login),
    pid: (node) => nodes[node].pid(),
    kill: (node) => nodes[node].stop(),
    async start(node) {
      nodes[node] = await open(plans[node]);
    },
    async replace(node) {
      await nodes[node].stop();
      await rm(folderOf(plans[node]), { recursive: true, force: true });
      nodes[node] = await open(plans[node]);
    },
    freeze: (node) => signal(node, 'SIGSTOP'),
    thaw: (node) => signal(node, 'SIGCONT'),
    async stop() {
      for (const node of nodes) await node.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function counter(): (count: number) => number {
  let next = 1;
  return (count) => {
    const first = next;
    next += count;
    if (next > counted + 1) throw new Error(`the two nodes have ${counted} projects for services`);
    return first;
  };
}

function openNode(dir: string, cluster: LocalCluster): Promise<EmbeddedEngine> {
  return openEmbeddedEngine({
    dir,
    config: { ...readConfig({}), queryTimeoutSeconds: 20, maxConcurrentQueries: 32 },
    log: openLog('silent'),
    secret,
    highestProjectId: projects,
    writers: 'all',
    cluster,
  });
}

function withAdmin({ url, admin }: EngineConnection): string {
  const parsed = new URL(url);
  parsed.username = admin.user;
  parsed.password = admin.password;
  return parsed.href;
}

async function send(url: string, statement: string, login: EngineLogin): Promise<string> {
  const response = await fetch(`${url}/?wait_end_of_query=1`, {
    method: 'POST',
    body: statement,
    headers: { 'x-clickhouse-user': login.user, 'x-clickhouse-key': login.password },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
