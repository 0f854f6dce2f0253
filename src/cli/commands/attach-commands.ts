/** Commands for projects that are bound to databases which exist. */
import type { Command } from 'commander';
import {
  attachProject,
  detachProject,
  notBound,
  renewPasswords,
} from '../../access/attach-project.ts';
import { createProject } from '../../access/create-project.ts';
import { engineConfig } from '../../backends.ts';
import {
  bindingSql,
  passwordSql,
  processesGrant,
} from '../../engine/clickhouse/bound/binding-sql.ts';
import { type CheckedRight, checkBinding } from '../../engine/clickhouse/bound/check-binding.ts';
import { provisionSql } from '../../engine/clickhouse/provision/provision-sql.ts';
import { queryLogGrant } from '../../engine/clickhouse/query/processor-times.ts';
import { onCluster } from '../../engine/clickhouse/topology/on-cluster.ts';
import { commandLineActor } from '../../model/actor.ts';
import type { ProjectBinding } from '../../model/project-binding.ts';
import { collect } from '../collect.ts';
import { print, printJson, printTable } from '../output.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { requireProjectOption, withSession } from '../with-session.ts';

interface JsonOption {
  readonly json?: true;
}

export function addAttachCommands(project: Command): void {
  project
    .command('attach')
    .description('Bind a project to databases that exist; it is made if there is none of the name.')
    .argument('<project>', 'its name or id')
    .requiredOption(
      '--database <name>',
      'one that its queries read; repeatable, in the order of look-up',
      collect,
    )
    .option('--stored <name>', 'the database of its stored tables, of its own')
    .option('--dictionary <name>', 'one that its queries may use; repeatable', collect)
    .option(
      '--reader-url <url>',
      'the server and the user that reads; a user is made up when it names none',
    )
    .option('--writer-url <url>', 'the user that makes stored tables; the same')
    .option('--no-writer', 'without a user that writes')
    .option(
      '--json',
      'print one JSON object: id, name, databases, stored, dictionaries, url, reader, writer',
    )
    .action(attach);
  project
    .command('detach')
    .description('Give a bound project a database of its own; its endpoints and keys stay.')
    .argument('<project>', 'its name or id')
    .option('--leave-tables', 'leave stored tables at the engine that could not be dropped')
    .action(detach);
  project
    .command('sql')
    .description('Print what an administrator of the engine runs for the users of a project.')
    .argument('[project]', 'its id or name; not needed while there is one')
    .action(sql);
  project
    .command('check')
    .description('Try each right of a bound project at the engine.')
    .argument('[project]', 'its id or name; not needed while there is one')
    .option('--json', 'print one JSON object: rights')
    .action(check);
  project
    .command('rotate')
    .description('New passwords for the users of a bound project, or a new key for those of all.')
    .argument('[project]', 'its id or name; not needed while there is one')
    .option(
      '--key',
      'encrypt the users of all projects anew, with the first key of CREDENTIALS_KEY',
    )
    .action(rotate);
}

interface AttachOptions extends JsonOption {
  readonly database: readonly string[];
  readonly stored?: string;
  readonly dictionary?: readonly string[];
  readonly readerUrl?: string;
  readonly writerUrl?: string;
  /** False by `--no-writer`. */
  readonly writer: boolean;
}

async function attach(given: string, options: AttachOptions): Promise<void> {
  await withSession(async (session) => {
    requireKey(session);
    const { id, name } = await projectToAttach(session, given);
    const attachment = {
      databases: options.database,
      stored: options.stored ?? null,
      dictionaries: options.dictionary ?? [],
      readerUrl: options.readerUrl,
      writerUrl: options.writer ? options.writerUrl : null,
    };
    const call = { attachment, by: commandLineActor };
    const binding = await attachProject(session, id, call);
    const { databases, stored, dictionaries, url, reader, writer } = binding;
    const users = { reader: reader.user, writer: writer?.user ?? null };
    if (options.json)
      return printJson({ id, name, databases, stored, dictionaries, url, ...users });
    print(`Project ${id}, ${name}, reads ${databases.join(', ')} at ${url} as ${reader.user}.`);
    print(
      writer === null
        ? 'Nothing is materialized: it has no user that writes.'
        : `Its stored tables are made by ${writer.user} in ${stored ?? 'no database yet: name one with --stored'}.`,
    );
    print(
      `What an administrator of the engine runs for them: querydock project sql ${id}. Then try it: querydock project check ${id}`,
    );
  });
}

function requireKey({ config }: Session): void {
  if (config.credentialsKey !== '') return;
  throw new UsageError(
    'CREDENTIALS_KEY is not set, so the users of the engine could not be encrypted. Set it to 64 hexadecimal digits, for the service and for this command: openssl rand -hex 32 makes them.',
  );
}

/** One that has tables of its own is not bound: they would be out of reach. */
async function projectToAttach(
  session: Session,
  given: string,
): Promise<{ readonly id: number; readonly name: string }> {
  const all = await session.projects.listProjects();
  const found = all.find(({ id, name }) => name === given || String(id) === given);
  if (found === undefined) return createProject(session, given, commandLineActor);
  if ((await session.bindings.findRevision(found.id)) !== null) return found;
  const tables = await session.engine.tables(found.id);
  if (tables.length === 0) return found;
  throw new UsageError(
    `The project ${found.name} has a database of its own with ${tables.length} ${tables.length === 1 ? 'table' : 'tables'}, which it would no longer read. Attach a new project instead.`,
  );
}

async function detach(given: string, options: { readonly leaveTables?: true }): Promise<void> {
  await withSession(async (session) => {
    const { id, name } = await requireProjectOption(session, given);
    const leaveTables = options.leaveTables === true;
    await detachProject(session, { projectId: id, leaveTables, by: commandLineActor });
    print(
      `Project ${id}, ${name}, has a database of its own, which is empty unless it had tables before. Its endpoints fail until it has the tables that they read: querydock data load. The users at the engine that it was bound to stay: drop them there.`,
    );
  });
}

async function sql(given: string | undefined): Promise<void> {
  await withSession(async (session) => {
    const { id } = await requireProjectOption(session, given);
    const limits = engineConfig(session.config);
    const found = await session.bindings.findBinding(id);
    if (found === null && session.isLocalEngine)
      throw new UsageError('The local engine makes the users of its projects itself.');
    const statements =
      found === null
        ? provisionSql(id, session.connection, { limits, on: onCluster(session.connection) })
        : bindingSql(id, found.binding, limits);
    if (found !== null) {
      print(`-- ${processesGrant}: ${PROCESSES}`);
      print(`-- ${queryLogGrant}: ${QUERY_LOG}`);
    }
    for (const statement of statements) print(`${statement};`);
  });
}

const PROCESSES =
  'for cancelling by id and for progress. It shows the running queries of all users; the service asks for its own, and no query of an author reads it. Leave it out to do without.';

const QUERY_LOG =
  'for the processor time of executions in usage. These columns have no text of a query. Leave it out to do without.';

async function check(given: string | undefined, options: JsonOption): Promise<void> {
  await withBinding(given, async ({ config }, id, binding) => {
    const rights = await checkBinding(binding, engineConfig(config));
    const missing = rights.filter((right) => right.missing !== null);
    if (options.json) printJson({ id, rights });
    else printRights(rights);
    if (missing.length === 0) return;
    const count = missing.length === 1 ? '1 right is' : `${missing.length} rights are`;
    throw new UsageError(
      `${count} not as the project needs ${missing.length === 1 ? 'it' : 'them'}.`,
    );
  });
}

function printRights(rights: readonly CheckedRight[]): void {
  printTable(
    ['USER', 'RIGHT', 'THERE'],
    rights.map((right) => [right.user, right.right, right.missing === null ? 'yes' : 'no']),
    '',
  );
  for (const { user, right, missing, without } of rights) {
    if (missing !== null)
      print(`\n${user}: ${right}\n  Missing: ${missing}.\n  Without it: ${without}.`);
  }
}

async function rotate(given: string | undefined, options: { readonly key?: true }): Promise<void> {
  if (options.key) {
    await withSession(async (session) => {
      requireKey(session);
      const count = await session.bindings.sealAgain();
      print(
        `The users of ${count} ${count === 1 ? 'project' : 'projects'} are encrypted with the first key of CREDENTIALS_KEY. The others are no longer needed.`,
      );
    });
    return;
  }
  await withBinding(given, async (session, id) => {
    const renewed = await renewPasswords(session, id, commandLineActor);
    print('-- Until these have run, the project goes on with the passwords that it had.');
    for (const statement of passwordSql(renewed)) print(`${statement};`);
  });
}

async function withBinding(
  given: string | undefined,
  work: (session: Session, id: number, binding: ProjectBinding) => Promise<void>,
): Promise<void> {
  await withSession(async (session) => {
    const { id } = await requireProjectOption(session, given);
    const found = await session.bindings.findBinding(id);
    if (found === null) throw notBound();
    await work(session, id, found.binding);
  });
}
