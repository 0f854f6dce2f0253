/** Clients from a document by generators that others wrote, as a caller would make them; each with its default options. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { build, memoryStorage } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import openapiTS, { astToString } from 'openapi-typescript';
import { generate as orval } from 'orval';
import ts from 'typescript';
import { openProgramsFolder, type ProgramsFolder } from './programs-folder.ts';

/** A document as a file, and the folder in which its client is written. */
interface Generation {
  readonly input: string;
  readonly output: string;
}

export const generators = {
  async openapiTypescript({ input, output }) {
    mkdirSync(output, { recursive: true });
    const types = astToString(await openapiTS(new URL(`file://${input}`)));
    writeFileSync(path.join(output, 'schema.ts'), types);
  },
  async heyApi({ input, output }) {
    await createClient({
      input,
      output: { path: output, module: { extension: '.js' } },
      logs: { level: 'silent' },
    });
  },
  async orval({ input, output }) {
    await orval({
      input: { target: input },
      output: { target: path.join(output, 'client.ts'), client: 'fetch', mode: 'single' },
    });
  },
  async kubb({ input, output }) {
    const { error, failedPlugins } = await build({
      config: {
        root: path.dirname(output),
        input: { path: input },
        // Its storage of files resolves against the working directory; the files themselves are written to the path.
        output: { path: output, storage: memoryStorage() },
        plugins: [
          pluginOas({ validate: false, generators: [] }),
          pluginTs({}),
          pluginClient({ client: 'fetch' }),
        ],
      },
    });
    if (error !== undefined || failedPlugins.size > 0) throw error ?? new Error('kubb failed');
  },
} as const satisfies Record<string, (generation: Generation) => Promise<void>>;

export type GeneratorName = keyof typeof generators;

export interface ClientsFolder extends ProgramsFolder {
  /** Writes a client of the document into `<generator>-<name>`. */
  generate(generator: GeneratorName, name: string, document: unknown): Promise<void>;
  /** Compiles the files with what they import into `js/`. What the compiler says of them; empty when they are right. */
  compile(files: readonly string[]): readonly string[];
}

export function openClientsFolder(): ClientsFolder {
  const folder = openProgramsFolder();
  const { dir, write } = folder;
  return {
    ...folder,
    async generate(generator, name, document) {
      write(`${name}.json`, JSON.stringify(document));
      const input = path.join(dir, `${name}.json`);
      await generators[generator]({ input, output: path.join(dir, `${generator}-${name}`) });
    },
    compile: (files) =>
      compile(
        files.map((file) => path.join(dir, file)),
        dir,
      ),
  };
}

function compile(files: readonly string[], dir: string): readonly string[] {
  const program = ts.createProgram(files, {
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    rewriteRelativeImportExtensions: true,
    rootDir: dir,
    outDir: path.join(dir, 'js'),
    types: [],
  });
  const problems = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  return problems.map(({ file, start, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, '\n');
    if (file === undefined || start === undefined) return message;
    const { line } = file.getLineAndCharacterOfPosition(start);
    return `${path.relative(dir, file.fileName)}(${line + 1}): ${message}`;
  });
}
