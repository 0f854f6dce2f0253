import { Command } from 'commander';
import { packageVersion } from '../lib/package-version.ts';
import { addDataCommands } from './commands/data-commands.ts';
import { addKeyCommands } from './commands/key-commands.ts';
import { addProjectCommands } from './commands/project-commands.ts';
import { addSchemaCommand } from './commands/schema-command.ts';
import { addServeCommands } from './commands/serve-commands.ts';
import { addTableCommands } from './commands/table-commands.ts';
import { addUsageCommand } from './commands/usage-command.ts';

/** The whole command line. A usage error prints one line and throws a CommanderError, as does help when it is printed. */
export function buildProgram(): Command {
  const program = new Command('querydock')
    .description('Saved, named, versioned query endpoints over your data, by GraphQL and REST.')
    .version(packageVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .addHelpText(
      'after',
      '\nCommands find a running server by its data folder (DATA_DIR, default ./.data). They also work without one.\nquerydock <command> --help prints the options of a command.',
    );
  addServeCommands(program);
  addProjectCommands(program);
  addKeyCommands(program);
  addDataCommands(program);
  addTableCommands(program);
  addSchemaCommand(program);
  addUsageCommand(program);
  reportErrors(program, program.name());
  return program;
}

/** @param called as in `querydock key create`. */
function reportErrors(command: Command, called: string): void {
  const listed = command.commands.length > 0 ? 'commands' : 'options';
  command.configureOutput({
    outputError: (text, write) =>
      write(
        text
          .replace(/^error: /, 'querydock: ')
          // Of one with a similar name the suggestion follows.
          .replace(/^(querydock: unknown .*)\n$/, `$1. ${called} --help prints the ${listed}.\n`),
      ),
  });
  for (const child of command.commands) reportErrors(child, `${called} ${child.name()}`);
}
