import type { Command } from 'commander';
import { collect } from '../collect.ts';
import type { SchemaOptions } from './show-schema.ts';

export function addSchemaCommand(program: Command): void {
  program
    .command('schema')
    .description('Print the GraphQL schema of the data graph of a project, for client generators.')
    .option('--project <id or name>', 'id or name of the project; optional if there is only one')
    .option('--fields <names>', 'only these root fields, separated by commas', collect)
    .option('--output <file>', 'file to write instead of printing')
    .option('--json', 'print one JSON object: fields, schema; with --output: fields, file, bytes')
    .action(async (options: SchemaOptions) => {
      // Loaded here, because other commands need no GraphQL.
      const { showSchema } = await import('./show-schema.ts');
      await showSchema(options);
    });
}
