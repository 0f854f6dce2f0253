import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { openGraphFieldMemo } from '../../cache/graph-field-memo.ts';
import { openShapeMemo } from '../../cache/shape-memo.ts';
import { openDataGraph } from '../../graphql/data-graph/data-graph.ts';
import { selectFields } from '../../graphql/data-graph/introspection/read-schema-text.ts';
import { printShapes } from '../../graphql/data-graph/introspection/schema-text.ts';
import { collect } from '../collect.ts';
import { formatBytes, formatCount, print, printJson } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { requireProjectOption, withSession } from '../with-session.ts';

interface SchemaOptions {
  readonly project?: string;
  readonly fields?: readonly string[];
  readonly output?: string;
  readonly json?: true;
}

export function addSchemaCommand(program: Command): void {
  program
    .command('schema')
    .description('Print the GraphQL schema of the data graph of a project, for client generators.')
    .option('--project <id or name>', 'id or name of the project; optional if there is only one')
    .option('--fields <names>', 'only these root fields, separated by commas', collect)
    .option('--output <file>', 'file to write instead of printing')
    .option('--json', 'print one JSON object: fields, schema; with --output: fields, file, bytes')
    .action(showSchema);
}

async function showSchema({ project, fields, output, json }: SchemaOptions): Promise<void> {
  await withSession(async (session) => {
    const { id } = await requireProjectOption(session, project);
    const memos = { shapes: openShapeMemo(), graphFields: openGraphFieldMemo() };
    const { shapes, texts } = openDataGraph({ ...session, ...memos });
    const all = await shapes(id);
    const shown = fields === undefined ? all : selectFields(all, fields);
    const names = shown.map(({ field }) => field);
    const text = Buffer.concat(await printShapes(texts, shown));
    if (output === undefined) {
      if (json) printJson({ fields: names, schema: text.toString() });
      else process.stdout.write(text);
      return;
    }
    await save(output, text);
    if (json) return printJson({ fields: names, file: output, bytes: text.length });
    print(
      `Wrote ${output}: ${formatCount(names.length)} ${names.length === 1 ? 'field' : 'fields'}, ${formatBytes(text.length)}.`,
    );
  });
}

async function save(file: string, text: Buffer): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new UsageError(`The file ${file} could not be written (${code}).`, { cause: error });
  }
}
