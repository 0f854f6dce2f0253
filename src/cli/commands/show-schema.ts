/** Prints a project's data graph. */
import { writeFile } from 'node:fs/promises';
import { openGraphFieldMemo } from '../../cache/graph-field-memo.ts';
import { openShapeMemo } from '../../cache/shape-memo.ts';
import { openDataGraph } from '../../graphql/data-graph/data-graph.ts';
import { selectFields } from '../../graphql/data-graph/introspection/read-schema-text.ts';
import { printShapes } from '../../graphql/data-graph/introspection/schema-text.ts';
import { formatBytes, formatCount, print, printJson } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { requireProjectOption, withSession } from '../with-session.ts';

export interface SchemaOptions {
  readonly project?: string;
  readonly fields?: readonly string[];
  readonly output?: string;
  readonly json?: true;
}

export async function showSchema({ project, fields, output, json }: SchemaOptions): Promise<void> {
  await withSession(async (session) => {
    const { id } = await requireProjectOption(session, project);
    const memos = { shapes: openShapeMemo(), graphFields: openGraphFieldMemo() };
    const { shapes, texts } = openDataGraph({ ...session, ...memos });
    const all = await shapes(id);
    const shown = fields === undefined ? all : selectFields(all, fields, '--fields');
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
