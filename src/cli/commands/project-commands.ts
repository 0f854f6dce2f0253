import { type Command, Option } from 'commander';
import { createProject } from '../../access/create-project.ts';
import { setProjectLimits } from '../../access/set-project-limits.ts';
import { setProjectSettings } from '../../access/set-project-settings.ts';
import { projectDatabase } from '../../engine/clickhouse/provision/project-users.ts';
import { toSnakeCase } from '../../lib/snake-case.ts';
import { commandLineActor } from '../../model/actor.ts';
import {
  type LimitOverrides,
  limitNames,
  limitRules,
  lowerTo,
  noLimits,
} from '../../model/query-limits.ts';
import { collect } from '../collect.ts';
import { explainError } from '../explain-error.ts';
import { print, printJson, printNote, printTable } from '../output.ts';
import { parseLimitFlags } from '../parse-limits.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { requireProjectOption, withSession } from '../with-session.ts';
import { addAttachCommands } from './attach-commands.ts';

interface JsonOption {
  readonly json?: true;
}

export function addProjectCommands(program: Command): void {
  const project = program
    .command('project')
    .description('Create, list, configure and bind projects.');
  project
    .command('create')
    .description('Create a project.')
    .argument('<name>', 'its name')
    .option('--use-tables', 'use the tables that its database at the engine already has')
    .option('--json', 'print one JSON object: id, name, database')
    .action(create);
  project
    .command('list')
    .description('List all projects.')
    .option('--json', 'print one JSON object: projects')
    .action(list);
  project
    .command('limits')
    .description('Show or change the limits of a project.')
    .argument('[project]', 'id or name of the project; optional if there is only one')
    .option('--set <name=number>', 'limit of the project; none removes it; repeatable', collect)
    .option('--json', 'print one JSON object: id, limits, own')
    .action(limits);
  project
    .command('settings')
    .description('Show or change the settings of a project.')
    .argument('[project]', 'id or name of the project; optional if there is only one')
    .addOption(
      new Option(
        '--record-values <on|off>',
        'record executions with the values of their variables, readable by keys with endpoint:write',
      ).choices(['on', 'off']),
    )
    .option('--json', 'print one JSON object: id, records_values')
    .action(settings);
  addAttachCommands(project);
}

interface LimitsOptions extends JsonOption {
  readonly set?: readonly string[];
}

async function limits(given: string | undefined, options: LimitsOptions): Promise<void> {
  const changes = parseLimitFlags(options.set ?? []);
  await withSession(async (session) => {
    const { id } = await requireProjectOption(session, given);
    if (options.set !== undefined)
      await setProjectLimits(session, id, { limits: changes, by: commandLineActor });
    const own = (await session.projects.findProject(id))?.limits ?? noLimits;
    const effective = lowerTo(session.serverLimits, own);
    const named = (of: LimitOverrides) =>
      Object.fromEntries(
        limitNames.flatMap((name) =>
          of[name] === undefined ? [] : [[toSnakeCase(name), of[name]]],
        ),
      );
    if (options.json) return printJson({ id, limits: named(effective), own: named(own) });
    printTable(
      ['LIMIT', 'HOLDS', 'OWN', 'OF'],
      limitNames.map((name) => [
        toSnakeCase(name),
        String(effective[name]),
        own[name] === undefined ? '' : String(own[name]),
        limitRules[name].what,
      ]),
      '',
    );
  });
}

interface SettingsOptions extends JsonOption {
  readonly recordValues?: 'on' | 'off';
}

async function settings(given: string | undefined, options: SettingsOptions): Promise<void> {
  const { recordValues } = options;
  await withSession(async (session) => {
    const { id } = await requireProjectOption(session, given);
    if (recordValues !== undefined) {
      const changed = { recordsValues: recordValues === 'on' };
      await setProjectSettings(session, id, { settings: changed, by: commandLineActor });
    }
    const records = (await session.projects.findProject(id))?.recordsValues === true;
    if (options.json) return printJson({ id, records_values: records });
    printTable(
      ['SETTING', 'IS', 'WHAT'],
      [
        [
          'record-values',
          records ? 'on' : 'off',
          'Executions are recorded with the values of their variables.',
        ],
      ],
      '',
    );
  });
}

interface CreateOptions extends JsonOption {
  readonly useTables?: true;
}

async function create(name: string, options: CreateOptions): Promise<void> {
  await withSession(async (session) => {
    // While the engine is down nothing is created, so that the command can be repeated.
    await session.engine.ping();
    const check = options.useTables ? undefined : (id: number) => requireUnused(session, id);
    const { id, name: stored } = await createProject(session, name, commandLineActor, check);
    const problem = await session.openDatabase(id).then(() => null, explain);
    const database = projectDatabase(id);
    if (options.json) printJson({ id, name: stored, database });
    else print(`Created project ${id}, ${stored}. Its tables are in the database ${database}.`);
    if (problem !== null)
      printNote(
        `The database or the users of project ${id} could not be created yet, which each use of the project tries again. To create them yourself: querydock project sql ${id}. The reason: ${problem}`,
      );
  });
}

/** They are of another service with the same engine, or of a project that is lost, whose readers would be others. */
async function requireUnused(session: Session, id: number): Promise<void> {
  const count = await session.countTables(id);
  if (count === 0) return;
  const tables = count === 1 ? '1 table' : `${count} tables`;
  throw new UsageError(
    `The engine already has a database ${projectDatabase(id)} with ${tables}, of another service with the same engine or of an earlier project. Nothing was created. Repeat the command to take the next id. With --use-tables a project is created whatever its database has.`,
  );
}

function explain(error: unknown): string {
  const message = explainError(error);
  if (message === null) throw error;
  return message;
}

async function list(options: JsonOption): Promise<void> {
  await withSession(async ({ projects, bindings }) => {
    const bound = new Map((await bindings.listBound()).map((one) => [one.projectId, one]));
    const all = (await projects.listProjects()).map(({ id, name, createdAt }) => ({
      id,
      name,
      database: bound.get(id)?.databases.join(', ') ?? projectDatabase(id),
      created_at: createdAt.toISOString(),
    }));
    if (options.json) return printJson({ projects: all });
    printTable(
      ['ID', 'NAME', 'DATABASE', 'CREATED'],
      all.map((p) => [String(p.id), p.name, p.database, p.created_at]),
      'There is no project yet. Create one: querydock project create NAME',
    );
  });
}
