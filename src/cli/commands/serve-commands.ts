import type { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { openLog } from '../../config/open-log.ts';
import { print } from '../output.ts';
import { startProgressBar } from '../progress-bar.ts';

export function addServeCommands(program: Command): void {
  program
    .command('start')
    .description(
      'Start the service. It starts its own PostgreSQL and ClickHouse unless URLs are set.',
    )
    .option('--nodes <number>', nodesHelp)
    .addHelpText('after', settingsHelp)
    .action((options: ServeOptions) => run(false, options));
  program
    .command('demo')
    .description('Start the service with a demo: 3 million flights, endpoints over them and a key.')
    .option('--nodes <number>', nodesHelp)
    .addHelpText('after', settingsHelp)
    .action((options: ServeOptions) => run(true, options));
}

interface ServeOptions {
  readonly nodes?: string;
}

const nodesHelp =
  'number of nodes of the local ClickHouse, which form a cluster; the demo distributes its flights over them';

const settingsHelp = `
Settings come from the environment:
  HOST, PORT        where it listens (127.0.0.1, 4000; 0 takes a free port)
  DATA_DIR          its folder (./.data)
  DATABASE_URL      a PostgreSQL of yours instead of its own
  CLICKHOUSE_URL    a ClickHouse of yours instead of its own
  LOCAL_NODES       processes of its own ClickHouse (as many as its folder has, else 1)
  LOG_LEVEL         silent, fatal, error, warn, info, debug or trace (info; warn for the demo)
docs/configuration.md has all of them.`;

/** A person watches the demo's terminal, so it only shows log lines about problems. */
const demoDefaults = { LOG_LEVEL: 'warn' };

/** Imports the server only here, so that no other command waits for GraphQL to load. */
async function run(demo: boolean, { nodes }: ServeOptions): Promise<void> {
  const config = readConfig({
    ...(demo ? demoDefaults : {}),
    ...process.env,
    ...(nodes === undefined ? {} : { LOCAL_NODES: nodes }),
  });
  const { serve } = await import('../serve.ts');
  await serve({
    config,
    log: openLog(config.logLevel),
    demo,
    print,
    startProgress: startProgressBar,
  });
}
