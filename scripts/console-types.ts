/** Writes the types of the console's GraphQL documents: src/console/generated/graphql.ts. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { buildSchema, parse } from 'graphql';

const root = path.dirname(import.meta.dirname);
const documents = path.join(root, 'src', 'console', 'documents');

/** Where the types are. */
export const consoleTypesFile = path.join(root, 'src', 'console', 'generated', 'graphql.ts');

/** The file as it follows from schema.graphql and the documents. */
export async function consoleTypes(): Promise<string> {
  const schemaText = readFileSync(path.join(root, 'schema.graphql'), 'utf8');
  const sections = await preset.buildGeneratesSection({
    baseOutputDir: 'generated/',
    schema: parse(schemaText),
    schemaAst: buildSchema(schemaText),
    documents: readDocuments(),
    config: {
      documentMode: 'string',
      enumsAsTypes: true,
      onlyOperationTypes: true,
      useTypeImports: true,
      skipTypename: true,
      immutableTypes: true,
      defaultScalarType: 'unknown',
      scalars: { DateTime: 'string', JSON: 'unknown' },
    },
    presetConfig: { fragmentMasking: false },
    plugins: [],
    pluginMap: {},
  });
  const types = sections.find(({ filename }) => filename.endsWith('graphql.ts'));
  if (types === undefined) throw new Error('the preset has written no types');
  return `${(await codegen(types)).trim()}\n`;
}

function readDocuments() {
  const files = readdirSync(documents).sort();
  return files.map((location) => {
    const rawSDL = readFileSync(path.join(documents, location), 'utf8');
    return { location, rawSDL, document: parse(rawSDL) };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(consoleTypesFile, await consoleTypes());
