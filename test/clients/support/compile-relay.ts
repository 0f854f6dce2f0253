/** Runs Relay's compiler on documents, against the committed schema, as a frontend's build does. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface CompiledRelay {
  /** The artifact of a document, by its name. */
  artifact(name: string): Promise<unknown>;
  remove(): Promise<void>;
}

/** Throws what the compiler printed when it refuses a document. @param source of a module with documents. */
export async function compileRelay(module: string, source: string): Promise<CompiledRelay> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-relay-'));
  await mkdir(path.join(dir, 'src'));
  await mkdir(path.join(dir, 'artifacts'));
  await cp('schema.graphql', path.join(dir, 'schema.graphql'));
  await writeFile(path.join(dir, 'src', `${module}.ts`), source);
  const config = {
    src: './src',
    schema: './schema.graphql',
    artifactDirectory: './artifacts',
    language: 'typescript',
    eagerEsModules: true,
    customScalarTypes: { DateTime: 'string', JSON: 'unknown' },
  };
  await writeFile(path.join(dir, 'relay.config.json'), JSON.stringify(config));
  const compiler = createRequire(import.meta.url).resolve('relay-compiler/cli.js');
  await run(process.execPath, [compiler, 'relay.config.json'], { cwd: dir });
  return {
    async artifact(name) {
      const file = pathToFileURL(path.join(dir, 'artifacts', `${name}.graphql.ts`)).href;
      return ((await import(/* @vite-ignore */ file)) as { readonly default: unknown }).default;
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}
