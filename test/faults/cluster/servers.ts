/** The operator's servers, asked directly. */
import type { ClusterOptions } from './options.ts';

/** What a server refused, by its number; 0 where it was not reached. */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface Login {
  readonly user: string;
  readonly password: string;
}

export interface Servers {
  /** Addresses without users: the nodes, or the one URL. */
  readonly addresses: readonly string[];
  readonly admin: Login;
  /** At the first address, as the administrator, unless another one is given. Returns the output without its last newline. */
  sql(
    statement: string,
    at?: { readonly address?: string; readonly login?: Login },
  ): Promise<string>;
  /** At every address. */
  each(statement: string): Promise<readonly string[]>;
  /**
   * On every node of the cluster: at each address where these are all of them, else by the server's own DDL queue, else at the one
   * address, whose server may pass it on by itself.
   *
   * @param statement with ` ON CLUSTER name`, or nothing, where such a statement has it.
   * @returns what it was run with.
   */
  everywhere(statement: (onCluster: string) => string): Promise<string>;
  /** A table of `system`, of every node. */
  ofAllNodes(table: string): string;
}

/**
 * What a server answers that has no Keeper, no DDL queue or no such engine. Source: src/Common/ErrorCodes.cpp of ClickHouse, by their
 * names NO_ELEMENTS_IN_CONFIG, NO_ZOOKEEPER, UNKNOWN_DATABASE_ENGINE, UNKNOWN_STORAGE, NOT_IMPLEMENTED, SUPPORT_IS_DISABLED, QUERY_IS_PROHIBITED.
 */
const missing: ReadonlySet<number> = new Set([139, 225, 336, 56, 48, 344, 392]);

export function isMissing(error: unknown): error is SqlError {
  return error instanceof SqlError && missing.has(error.code);
}

const timeoutMs = 60_000;

export function openServers({
  url: given,
  nodes,
  cluster,
}: Pick<ClusterOptions, 'url' | 'nodes' | 'cluster'>): Servers {
  const url = new URL(given);
  const admin = {
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
  const own = `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}`;
  const addresses = nodes.length > 0 ? nodes : [own];
  const [first = own] = addresses;
  const sql: Servers['sql'] = (statement, { address = first, login = admin } = {}) =>
    send(address, statement, login);
  const each: Servers['each'] = (statement) =>
    Promise.all(addresses.map((address) => sql(statement, { address })));
  const isBehindOne = cluster !== null && nodes.length === 0;
  return {
    addresses,
    admin,
    sql,
    each,
    async everywhere(statement) {
      const on = isBehindOne ? ` ON CLUSTER ${cluster}` : '';
      try {
        await each(statement(on));
        return on;
      } catch (error) {
        if (on === '' || !isMissing(error)) throw error;
        await each(statement(''));
        return '';
      }
    },
    ofAllNodes: (table) => (isBehindOne ? `clusterAllReplicas(${cluster}, ${table})` : table),
  };
}

async function send(address: string, statement: string, { user, password }: Login) {
  const response = await fetch(`${address}/?wait_end_of_query=1`, {
    method: 'POST',
    body: statement,
    headers: { 'x-clickhouse-user': user, 'x-clickhouse-key': password },
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new SqlError(0, `${new URL(address).host} was not reached: ${causeOf(error)}`);
  });
  const text = await response.text();
  if (response.ok) return text.trimEnd();
  const code = Number(response.headers.get('x-clickhouse-exception-code') ?? 0);
  throw new SqlError(code, (text.split('\n')[0] ?? '').replace(/^Code: \d+\. DB::Exception: /, ''));
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
