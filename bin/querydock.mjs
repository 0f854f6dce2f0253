#!/usr/bin/env node
/**
 * The command `querydock` from any Node from 20 on. Querydock itself needs Node 24, so an older one hands over to
 * the Node that is installed with the package. Plain JavaScript, because an older Node must be able to read it.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const neededMajor = 24;
/** As in package.json's scripts; docs/operations.md says what for. */
const flags = ['--max-semi-space-size=16'];
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** The build of a package, or the sources of a checkout. */
function entryFile() {
  const built = path.join(root, 'dist', 'main.js');
  return existsSync(built) ? built : path.join(root, 'src', 'main.ts');
}

/** Null when the package has none for this machine. */
function packagedNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(
      `node-${process.platform}-${process.arch}/package.json`,
    );
    const file = path.join(path.dirname(manifest), 'bin', 'node');
    return existsSync(file) ? file : null;
  } catch {
    return null;
  }
}

/**
 * A terminal sends its signals to both processes; those that only reach this one are handed on. The channel tells
 * the other process when this one is gone, however it went.
 */
function handOver(node) {
  const child = spawn(node, [...flags, entryFile(), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${node} cannot be run: ${error.message}`));
  child.on('exit', (code, signal) => {
    process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
  });
}

function fail(words) {
  process.stderr.write(`querydock: ${words}\n`);
  process.exit(1);
}

if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  await import(pathToFileURL(entryFile()).href);
} else {
  const node = packagedNode();
  if (node === null) {
    fail(
      `this is Node ${process.versions.node}, and Querydock needs Node ${neededMajor}. Install it from https://nodejs.org (on Linux, installing Querydock with its optional dependencies brings one along).`,
    );
  }
  handOver(node);
}
