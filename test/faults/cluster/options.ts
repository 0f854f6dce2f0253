/** What `npm run faults -- cluster` is given. */
import { parseArgs } from 'node:util';

export interface ClusterOptions {
  /** With an administrator as user and password. */
  readonly url: string;
  /** Of every node, without users; empty when the service is to know only the URL. */
  readonly nodes: readonly string[];
  /** As in `remote_servers`; null: none. */
  readonly cluster: string | null;
  /** What the passwords of the project's users are derived from, where an operator has made them; null: one is made up. */
  readonly secret: string | null;
  /** A project that nobody has; null: one is made up. */
  readonly projectId: number | null;
  /** Without the service: what the servers do by themselves. */
  readonly serversOnly: boolean;
  readonly json: boolean;
}

export const clusterUsage = `npm run faults -- cluster --url https://admin:password@host:8443
    [--node https://host1:8443 --node https://host2:8443]   every node, for a service that is given CLICKHOUSE_NODES
    [--cluster NAME]         the cluster as the server calls it, for CLICKHOUSE_CLUSTER
    [--secret TEXT --project ID]  where users are not made by SQL: CLICKHOUSE_USER_SECRET, and a project whose users exist
    [--servers-only]         without the service: a few seconds
    [--json]

Tries Querydock on ClickHouse servers of yours. It makes a project of its own, whose database is project_<id> with an id above
970,000,000, and databases named querydock_acceptance_<id>; it touches nothing else and drops them at the end.`;

export class ClusterUsageError extends Error {
  override readonly name = 'ClusterUsageError';
}

export function parseClusterOptions(args: readonly string[]): ClusterOptions {
  const { url, node = [], cluster, secret, project, ...flags } = readFlags(args);
  if (url === undefined) throw new ClusterUsageError('--url is missing.');
  const parsed = requireUrl('--url', url);
  if (parsed.username === '') {
    throw new ClusterUsageError('--url needs an administrator: https://user:password@host:8443.');
  }
  for (const one of node) {
    if (requireUrl('--node', one).username !== '') {
      throw new ClusterUsageError('--node takes a URL without a user: that of --url is used.');
    }
  }
  if (node.length === 1) throw new ClusterUsageError('--node is given for every node, so twice.');
  return {
    url: parsed.href,
    nodes: node.map((one) => one.replace(/\/$/, '')),
    cluster: cluster ?? null,
    secret: secret ?? null,
    projectId: project === undefined ? null : requireProject(project),
    serversOnly: flags['servers-only'] === true,
    json: flags.json === true,
  };
}

function readFlags(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        url: text,
        node: { type: 'string', multiple: true },
        cluster: text,
        secret: text,
        project: text,
        'servers-only': { type: 'boolean' },
        json: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new ClusterUsageError(error instanceof Error ? error.message : String(error));
  }
}

function requireUrl(flag: string, given: string): URL {
  const url = URL.parse(given);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new ClusterUsageError(`${flag} takes the URL of ClickHouse's HTTP interface.`);
}

function requireProject(given: string): number {
  const id = Number(given);
  if (Number.isInteger(id) && id > 0 && id < 2 ** 31) return id;
  throw new ClusterUsageError('--project takes the id of a project, a whole number.');
}
