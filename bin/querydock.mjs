#!/usr/bin/env node
/**
 * The command `querydock` for Node 20 and later. Querydock itself needs Node 24, so on an older Node this starts the
 * Node that is installed with the package. Plain JavaScript, because an older Node must be able to run it.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const neededMajor = 24;
/** As in package.json's scripts; docs/operations.md explains why. */
const flags = ['--max-semi-space-size=16'];
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** The build of a package, or the sources of a checkout. */
function entryFile() {
  const built = path.join(root, 'dist', 'main.js');
  return existsSync(built) ? built : path.join(root, 'src', 'main.ts');
}

/** Null when there is none for this platform. */
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
 * A terminal sends its signals to both processes; signals that reach only this one are forwarded. The IPC channel lets
 * the child notice when this process is gone, however it ended.
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

function fail(message) {
  process.stderr.write(`querydock: ${message}\n`);
  process.exit(1);
}

if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  await import(pathToFileURL(entryFile()).href);
} else {
  const node = packagedNode();
  if (node === null) {
    fail(
      `this is Node ${process.versions.node}, and Querydock needs Node ${neededMajor}. Install it from https://nodejs.org (on Linux, installing Querydock with its optional dependencies includes it).`,
    );
  }
  handOver(node);
}
