/** The nodes of an engine as changes of tables see them: each by itself, and known to the journal by its name. */
import type { Log } from '../../../../lib/log.ts';
import type { NodeJournal } from '../../../../model/node-journal.ts';
import { unavailable } from '../../errors/failures.ts';
import { type EngineConnection, nameOfNode } from '../../http/connection.ts';
import { openEngineClient } from '../../http/http-client.ts';
import { isFaultOfNode } from '../../http/send-until-taken.ts';
import { type AdminSession, rowSettings } from '../../http/session.ts';

export interface TableNode extends AdminSession {
  readonly name: string;
  readonly url: string;
}

export interface TableNodes {
  readonly all: readonly TableNode[];
  readonly journal: NodeJournal;
  /** Those that answer. */
  answering(): Promise<readonly TableNode[]>;
  /**
   * Of these the ones that have missed no change of a table: what they have is right.
   *
   * @throws ServiceError `engine_unavailable` when there is none.
   */
  upToDate(): Promise<readonly [TableNode, ...TableNode[]]>;
  close(): void;
}

export interface Changing {
  readonly nodes: TableNodes;
  readonly log: Log;
}

/** How long a node may take to say that it is there. */
const ANSWER_MS = 3000;

/** Null for an engine of one node, and for one of one address. */
export function openTableNodes(connection: EngineConnection): TableNodes | null {
  const { nodes, journal } = connection;
  if (nodes === undefined || nodes.length < 2) return null;
  if (journal === undefined) throw new Error('an engine of several nodes has a journal');
  const all = [...nodes].sort().map(
    (url): TableNode => ({
      name: nameOfNode(connection, url),
      url,
      client: openEngineClient({ url }),
      connection,
    }),
  );
  const answering = async () => {
    const answers = await Promise.all(all.map(isAnswering));
    return all.filter((_, at) => answers[at]);
  };
  return {
    all,
    journal,
    answering,
    async upToDate() {
      const found = await answering();
      const behind = new Set(await journal.behind());
      const [first, ...others] = found.filter(({ name }) => !behind.has(name));
      if (first !== undefined) return [first, ...others];
      throw unavailable('no node answers that has missed no change of a table');
    },
    close() {
      for (const { client } of all) client.close();
    },
  };
}

async function isAnswering({ client, connection }: TableNode): Promise<boolean> {
  try {
    const settings = rowSettings;
    await client.send({ login: connection.admin, sql: 'SELECT 1', settings, timeoutMs: ANSWER_MS });
    return true;
  } catch (error) {
    return !isFaultOfNode(error);
  }
}
