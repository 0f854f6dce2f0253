/** Typed clients from our documents, as a caller would make them: openapi-typescript and the TypeScript compiler. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

interface ClientFolder {
  readonly dir: string;
  /** Deletes the folder. */
  remove(): void;
}

/** The types of a document with the generator's default options. */
export async function generateTypes(document: unknown): Promise<string> {
  return astToString(await openapiTS(JSON.stringify(document)));
}

/** A folder of its own under the system's temporary one, where `openapi-fetch` resolves and files can run. */
function openClientFolder(files: Readonly<Record<string, string>>): ClientFolder {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'querydock-client-'));
  writeFileSync(path.join(dir, 'package.json'), '{"type":"module"}');
  symlinkSync(
    path.resolve(import.meta.dirname, '../../node_modules'),
    path.join(dir, 'node_modules'),
  );
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), content);
  }
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

const options: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  skipLibCheck: false,
  types: [],
};

/** What the compiler says of the files, as `name(line): message`; empty when they are right. */
export function typeCheck(files: Readonly<Record<string, string>>): string[] {
  const folder = openClientFolder(files);
  try {
    const roots = Object.keys(files).map((name) => path.join(folder.dir, name));
    const program = ts.createProgram(roots, options);
    return ts.getPreEmitDiagnostics(program).map(describe);
  } finally {
    folder.remove();
  }
}

function describe({ file, start, messageText }: ts.Diagnostic): string {
  const message = ts.flattenDiagnosticMessageText(messageText, '\n');
  if (file === undefined || start === undefined) return message;
  const { line } = file.getLineAndCharacterOfPosition(start);
  return `${path.basename(file.fileName)}(${line + 1}): ${message}`;
}
