/** Generates the types of GraphQL clients for a folder of programs and compiles it, each by the configuration that stands there. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { buildSchema, parse } from 'graphql';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** The client preset, over the documents of the programs that import what it writes. */
export async function generateClientPreset(dir: string): Promise<void> {
  const { generates, importExtension } = readJson(dir, 'codegen.json') as CodegenConfig;
  const schemaText = readFileSync(path.join(dir, 'schema.graphql'), 'utf8');
  const [[output, { config, presetConfig }] = ['', noOutput]] = Object.entries(generates);
  mkdirSync(path.join(dir, output), { recursive: true });
  const sections = await preset.buildGeneratesSection({
    baseOutputDir: output,
    schema: parse(schemaText),
    schemaAst: buildSchema(schemaText),
    documents: documentsOf(dir),
    config: { ...config, importExtension },
    presetConfig,
    plugins: [],
    pluginMap: {},
  });
  for (const section of sections)
    writeFileSync(path.join(dir, section.filename), await codegen(section));
}

interface CodegenConfig {
  readonly importExtension: `.${string}`;
  readonly generates: Readonly<Record<string, OutputConfig>>;
}

interface OutputConfig {
  readonly config: Readonly<Record<string, unknown>>;
  readonly presetConfig: Readonly<Record<string, boolean>>;
}

const noOutput: OutputConfig = { config: {}, presetConfig: {} };

function documentsOf(dir: string) {
  const files = readdirSync(dir).filter((file) => file.endsWith('.ts'));
  return files.flatMap((location) => {
    const text = readFileSync(path.join(dir, location), 'utf8');
    if (!text.includes("from './gql/gql.ts'")) return [];
    return [...text.matchAll(/\bgraphql\(`([^`]*)`\)/g)].map(([, rawSDL = '']) => ({
      location,
      rawSDL,
      document: parse(rawSDL),
    }));
  });
}

function readJson(dir: string, file: string): unknown {
  return JSON.parse(readFileSync(path.join(dir, file), 'utf8'));
}

/** Throws what the command printed when it fails. */
export async function generateTada(dir: string): Promise<void> {
  await run(path.resolve('node_modules/.bin/gql-tada'), ['generate-output'], { cwd: dir });
}

/** Throws what the compiler printed when it refuses a document. */
export async function generateRelay(dir: string): Promise<void> {
  const { artifactDirectory } = readJson(dir, 'relay.config.json') as RelayConfig;
  mkdirSync(path.join(dir, artifactDirectory));
  const compiler = require.resolve('relay-compiler/cli.js');
  await run(process.execPath, [compiler, 'relay.config.json'], { cwd: dir });
}

interface RelayConfig {
  readonly artifactDirectory: string;
}

/** What the compiler says of the programs; empty when they are right. */
export async function compileGraphClients(dir: string): Promise<string> {
  const compiler = path.resolve('node_modules/typescript7/bin/tsc');
  try {
    await run(process.execPath, [compiler, '--project', dir]);
    return '';
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}
