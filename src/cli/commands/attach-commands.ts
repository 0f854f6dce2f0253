/** Commands for projects that are bound to existing databases. */
import type { Command } from 'commander';
import {
  attachProject,
  createAttachedProject,
  detachProject,
  notBound,
  renewPasswords,
} from '../../access/attach-project.ts';
import { sealSignInsAgain } from '../../access/sign-in/seal-sign-ins.ts';
import { engineConfig } from '../../backends.ts';
import {
  bindingSql,
  copyGrants,
  passwordSql,
  processesGrant,
  stateGrants,
} from '../../engine/clickhouse/bound/binding-sql.ts';
import type { CheckedRight } from '../../engine/clickhouse/bound/check-binding.ts';
import { checkNodes, nodesOf } from '../../engine/clickhouse/bound/check-nodes.ts';
import { usersOnOldestPassword } from '../../engine/clickhouse/bound/oldest-password.ts';
import { isOwnedByOperator } from '../../engine/clickhouse/errors/engine-error.ts';
import { provisionSql } from '../../engine/clickhouse/provision/provision-sql.ts';
import { queryLogGrant } from '../../engine/clickhouse/query/logged-work.ts';
import { onCluster } from '../../engine/clickhouse/topology/on-cluster.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { openSealer, type Sealer } from '../../lib/seal.ts';
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
    .description(
      'Bind a project to existing databases. Creates the project if there is none of that name.',
    )
    .argument('<project>', 'its name or id')
    .requiredOption(
      '--database <name>',
      'a database that its queries can read; repeatable, in the order in which table names are resolved',
      collect,
    )
    .option('--stored <name>', 'the database of its stored tables, used for nothing else')
    .option('--dictionary <name>', 'a dictionary that its queries can use; repeatable', collect)
    .option(
      '--reader-url <url>',
      'the server, with the user that reads; without a user, one is generated',
    )
    .option(
      '--writer-url <url>',
      'the same server, with the user that writes stored tables; without a user, one is generated',
    )
    .option('--no-writer', 'bind without a user that writes, so that nothing can be materialized')
    .option(
      '--json',
      'print one JSON object: id, name, databases, stored, dictionaries, url, reader, writer',
    )
    .action(attach);
  project
    .command('detach')
    .description(
      'Detach a project from existing databases and give it a managed one. Its endpoints and keys remain.',
    )
    .argument('<project>', 'its name or id')
    .option('--leave-tables', 'leave stored tables that cannot be dropped in the engine')
    .action(detach);
  project
    .command('sql')
    .description(
      'Print the SQL by which an administrator of the engine creates the users of a bound project.',
    )
    .argument('[project]', 'id or name of the project; optional if there is only one')
    .action(sql);
  project
    .command('check')
    .description('Check each privilege that a bound project needs in the engine.')
    .argument('[project]', 'id or name of the project; optional if there is only one')
    .option('--json', 'print one JSON object: rights')
    .action(check);
  project
    .command('rotate')
    .description(
      'Generate new passwords for the users of a bound project, or re-encrypt those of all projects, and sign-ins.',
    )
    .argument('[project]', 'id or name of the project; optional if there is only one')
    .option(
      '--key',
      're-encrypt the users of all projects, and sign-ins, with the first key of CREDENTIALS_KEY',
    )
    .action(rotate);
}

interface AttachOptions extends JsonOption {
  readonly database: readonly string[];
  readonly stored?: string;
  readonly dictionary?: readonly string[];
  readonly readerUrl?: string;
  readonly writerUrl?: string;
  /** False with `--no-writer`. */
  readonly writer: boolean;
}

async function attach(given: string, options: AttachOptions): Promise<void> {
  await withSession(async (session) => {
    requireSealer(session);
    const found = await projectToAttach(session, given);
    const attachment = {
      databases: options.database,
      stored: options.stored ?? null,
      dictionaries: options.dictionary ?? [],
      readerUrl: options.readerUrl,
      writerUrl: options.writer ? options.writerUrl : null,
    };
    const call = { attachment, by: commandLineActor };
    const { id, name, binding } =
      found === null
        ? await createAttachedProject(session, given, call)
        : { ...found, binding: await attachProject(session, found.id, call) };
    const { databases, stored, dictionaries, url, reader, writer } = binding;
    const users = { reader: reader.user, writer: writer?.user ?? null };
    if (options.json)
      return printJson({ id, name, databases, stored, dictionaries, url, ...users });
    print(`Project ${id}, ${name}, reads ${databases.join(', ')} at ${url} as ${reader.user}.`);
    print(
      writer === null
        ? 'Nothing can be materialized, because it has no user that writes.'
        : `${writer.user} writes its stored tables to ${stored ?? 'no database yet: name one with --stored'}.`,
    );
    print(
      `To print the SQL for the administrator of the engine: querydock project sql ${id}. To check the result: querydock project check ${id}`,
    );
  });
}

function requireSealer({ config }: Session): Sealer {
  const sealer = openSealer(config.credentialsKey);
  if (sealer !== null) return sealer;
  throw new UsageError(
    'CREDENTIALS_KEY is not set, so engine users cannot be encrypted. Set it to 64 hexadecimal digits, for the service and for this command; generate them with openssl rand -hex 32.',
  );
}

/** Null when it is to be created. Refuses a project with its own tables, which would become unreachable. */
async function projectToAttach(
  session: Session,
  given: string,
): Promise<{ readonly id: number; readonly name: string } | null> {
  const all = await session.projects.listProjects();
  const found = all.find(({ id, name }) => name === given || String(id) === given);
  if (found === undefined) return null;
  if ((await session.bindings.findRevision(found.id)) !== null) return found;
  const count = await countManaged(session, found.id);
  if (count === 0) return found;
  throw new UsageError(
    `The project ${found.name} has a managed database with ${count} ${count === 1 ? 'table' : 'tables'}, which it could no longer read. Attach a new project instead.`,
  );
}

/** How many tables the project has in its own database, also where no users can be made for it. */
async function countManaged({ engine, countTables }: Session, projectId: number): Promise<number> {
  try {
    return (await engine.tables(projectId)).length;
  } catch (error) {
    if (error instanceof ServiceError && isOwnedByOperator(error.cause))
      return countTables(projectId);
    throw error;
  }
}

async function detach(given: string, options: { readonly leaveTables?: true }): Promise<void> {
  await withSession(async (session) => {
    const { id, name } = await requireProjectOption(session, given);
    const leaveTables = options.leaveTables === true;
    await detachProject(session, { projectId: id, leaveTables, by: commandLineActor });
    print(
      `Project ${id}, ${name}, now has a managed database, which is empty unless it had tables before. Its endpoints fail until the tables that they read are loaded with querydock data load. Its users in the engine that it was bound to still exist: drop them there.`,
    );
  });
}

async function sql(given: string | undefined): Promise<void> {
  await withSession(async (session) => {
    const { id } = await requireProjectOption(session, given);
    const limits = engineConfig(session.config);
    const found = await session.bindings.findBinding(id);
    if (found === null && session.isLocalEngine)
      throw new UsageError('The local engine creates the users of its projects itself.');
    const statements =
      found === null
        ? provisionSql(id, session.connection, { limits, on: onCluster(session.connection) })
        : bindingSql(id, found.binding, limits);
    if (found !== null) {
      print(`-- ${processesGrant}: ${PROCESSES}`);
      print(`-- ${queryLogGrant}: ${QUERY_LOG}`);
      for (const grant of copyGrants(found.binding)) print(`-- ${grant}: ${COPIES}`);
      for (const grant of stateGrants) print(`-- ${grant}: ${STATE}`);
    }
    for (const statement of statements) print(`${statement};`);
  });
}

const PROCESSES =
  'for cancelling by id and for progress. It shows the running queries of all users; the service selects only its own, and queries of authors cannot read it. Optional.';

const QUERY_LOG =
  'for the CPU time of executions in usage. These columns do not contain the text of queries. Optional.';

const COPIES =
  'for copying the tables that a sync reads, by hard links and next to the stored tables, so that it is not disturbed while they are written to. Optional.';

const STATE =
  'for copying, to see whether a table is being altered, and for queries that are stored in several tables, to see whether tables that cannot be copied change meanwhile. They show only tables that the user may read. Optional.';

async function check(given: string | undefined, options: JsonOption): Promise<void> {
  await withBinding(given, async ({ config, connection }, id, binding) => {
    const rights = await checkNodes(binding, engineConfig(config), connection);
    const missing = rights.filter((right) => right.missing !== null);
    if (options.json) printJson({ id, rights });
    else printRights(rights);
    if (missing.length === 0) return;
    const count = missing.length === 1 ? '1 privilege is' : `${missing.length} privileges are`;
    throw new UsageError(`${count} missing or wrong.`);
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
    if (given !== undefined)
      throw new UsageError(
        '--key is about all projects and sign-ins: leave the project out, or leave out --key to renew the passwords of this project.',
      );
    await withSession(sealAgain);
    return;
  }
  await withBinding(given, async (session, id, binding) => {
    for (const url of nodesOf(binding, session.connection)) {
      const users = await usersOnOldestPassword({ ...binding, url });
      if (users.length === 0) continue;
      throw new UsageError(
        `The engine at ${url} still expects the oldest retained password of ${users.join(' and ')}, which another rotation would remove. Nothing was changed. First run the statements of querydock project sql there.`,
      );
    }
    const renewed = await renewPasswords(session, id, commandLineActor);
    print(
      '-- Until these statements have run, the project continues to use its previous passwords.',
    );
    for (const statement of passwordSql(renewed)) print(`${statement};`);
  });
}

async function sealAgain(session: Session): Promise<void> {
  const sealer = requireSealer(session);
  const projects = await session.bindings.sealAgain();
  const { sealed, busy } = await sealSignInsAgain(session.signIns, sealer);
  print(
    `The users of ${counted(projects, 'project')} and ${counted(sealed, 'sign-in')} are now encrypted with the first key of CREDENTIALS_KEY.`,
  );
  if (busy > 0)
    throw new UsageError(
      `${counted(busy, 'sign-in')} could not be encrypted again, because a process was renewing it with the provider. Run this once more, in two minutes, before you remove the other keys.`,
    );
  print('The other keys are no longer needed.');
}

function counted(count: number, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
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
