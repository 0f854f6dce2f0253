/**
 * The engine of one project that is bound to databases. It always acts as the users of the binding, never as an
 * administrator.
 */
import { ServiceError } from '../../../errors/service-error.ts';
import type { Log } from '../../../lib/log.ts';
import type { ProjectBinding } from '../../../model/project-binding.ts';
import type { BoundEngine } from '../../bound-engines.ts';
import { withProvisioning } from '../../provisioning-engine.ts';
import { engineOver, openSession } from '../clickhouse-engine.ts';
import { asService } from '../errors/translate-error.ts';
import { type EngineConnection, isSameEngine } from '../http/connection.ts';
import type { AdminSession } from '../http/session.ts';
import type { UserLimits } from '../provision/project-users.ts';
import { loggedWork } from '../query/logged-work.ts';
import { clusterOf } from '../topology/on-cluster.ts';
import { baseSettings, probeReader } from './probe-reader.ts';

export interface BoundEngineOptions {
  readonly projectId: number;
  readonly binding: ProjectBinding;
  /** Id of the metadata database, hexadecimal. */
  readonly deployment: string;
  readonly config: UserLimits;
  readonly log: Log;
  /** Parses rows that are written in a query. */
  readonly parser: AdminSession;
}

export function openBoundEngine(options: BoundEngineOptions): Omit<BoundEngine, 'revision'> {
  const { binding, projectId, deployment, config, log, parser } = options;
  const { databases, stored, dictionaries } = binding;
  const base = baseSettings();
  const { nodes } = parser.connection;
  const isOwn = isSameEngine(binding.url, parser.connection);
  const whyNotThere = isOwn && clusterOf(parser.connection) !== null ? NOT_STORED : null;
  const opened = openSession({
    connection: {
      ...boundConnection(binding),
      ...(isOwn && nodes !== undefined ? { nodes } : {}),
    },
    config,
    log,
    bound: {
      place: { databases, stored, dictionaries, isBound: true },
      parser,
      base,
      users: binding.writer === null ? [binding.reader] : [binding.reader, binding.writer],
      owner: `querydock, deployment ${deployment}, project ${projectId}`,
      fixedProjects: new Set(),
    },
  });
  const { session } = opened;
  const probe = () => probeReader({ session, base, log }, projectId);
  const engine = engineOver(opened, { log });
  const project = withProvisioning({
    ...engine,
    // A user that cannot see its queries cannot stop them by id; they end when their connection closes.
    cancel: (queryId) => engine.cancel(queryId).catch(falseIfDenied),
    // The service's own user can read the log of its own engine.
    loggedWork: isOwn ? (executions) => loggedWork(parser, executions) : engine.loggedWork,
    provision: () => asService(probe()),
    // The service owns nothing there but stored tables, which it drops one by one.
    deprovision: async () => undefined,
    whyNot: async (_projectId, what) =>
      what === 'store' ? (whyNotThere ?? whyNotStored(binding)) : NOT_LOADED,
  });
  return { engine: project, retire: () => session.client.retire() };
}

function falseIfDenied(error: unknown): boolean {
  if (error instanceof ServiceError && error.code === 'query_failed') return false;
  throw error;
}

/** The binding's users may not forward statements to other nodes. */
const NOT_STORED =
  'The project is bound to databases of a cluster that is reached by a single address, so its results cannot be stored. An operator must list the nodes in CLICKHOUSE_NODES.';

const NOT_LOADED =
  'The project is bound to existing databases: load rows into their tables directly in the engine, not through this service.';

function whyNotStored({ stored, writer }: ProjectBinding): string | null {
  const missing = [
    stored === null ? 'a database for stored tables' : '',
    writer === null ? 'a user that writes' : '',
  ].filter((part) => part !== '');
  if (missing.length === 0) return null;
  return `The project is bound to existing databases, without ${missing.join(' and ')}: an operator must set ${missing.length > 1 ? 'them' : 'it'} with querydock project attach.`;
}

/** What an administrator does for other projects, the reader does here. */
function boundConnection({ url, databases, reader, writer }: ProjectBinding): EngineConnection {
  const [database = ''] = databases;
  const readerLogin = { ...reader, database };
  const writerLogin = writer === null ? null : { ...writer, database };
  return {
    url,
    admin: reader,
    credentials(_projectId, role) {
      if (role === 'reader') return readerLogin;
      if (writerLogin !== null) return writerLogin;
      throw new ServiceError(
        'cannot_materialize',
        'The project is bound to databases without a user that writes.',
      );
    },
  };
}
