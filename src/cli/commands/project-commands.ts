import type { Command } from 'commander';
import { createProject } from '../../core/project/create-project.ts';
import { projectDatabase } from '../../engine/clickhouse/project-users.ts';
import { print, printJson, printTable } from '../output.ts';
import { withSession } from '../with-session.ts';

interface JsonOption {
  readonly json?: true;
}

export function addProjectCommands(program: Command): void {
  const project = program
    .command('project')
    .description('Projects: each has its own tables, endpoints and keys.');
  project
    .command('create')
    .description('Make a project.')
    .argument('<name>', 'its name')
    .option('--json', 'print one JSON object: id, name, database')
    .action(create);
  project
    .command('list')
    .description('List all projects.')
    .option('--json', 'print one JSON object: projects')
    .action(list);
}

async function create(name: string, options: JsonOption): Promise<void> {
  await withSession(async (session) => {
    const { id, name: stored } = await createProject(session, name);
    await session.openDatabase(id);
    const database = projectDatabase(id);
    if (options.json) printJson({ id, name: stored, database });
    else print(`Made project ${id}, ${stored}. Its tables are in the database ${database}.`);
  });
}

async function list(options: JsonOption): Promise<void> {
  await withSession(async ({ projects }) => {
    const all = (await projects.listProjects()).map(({ id, name, createdAt }) => ({
      id,
      name,
      database: projectDatabase(id),
      created_at: createdAt.toISOString(),
    }));
    if (options.json) return printJson({ projects: all });
    printTable(
      ['ID', 'NAME', 'DATABASE', 'CREATED'],
      all.map((p) => [String(p.id), p.name, p.database, p.created_at]),
      'There is no project yet. Make one: querydock project create NAME',
    );
  });
}
