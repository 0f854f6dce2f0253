/**
 * Landlock: a process restricts itself, and whatever it executes, to the files it names. The restriction applies to the
 * calling thread and threads it starts, so it is set before the process replaces itself.
 */
import { closeSync, openSync, statSync } from 'node:fs';
import type { Native } from './native.ts';

/** Files by the kind of access; missing ones are ignored. */
export interface Reach {
  readonly read: readonly string[];
  readonly readWrite: readonly string[];
  /** The only ports to listen on. */
  readonly listen: readonly number[];
  /** The only ports to connect to, whatever the address: Landlock has no rules for addresses. */
  readonly connect: readonly number[];
}

const CREATE_RULESET = 444;
const ADD_RULE = 445;
const RESTRICT_SELF = 446;
const VERSION = 1;
const PATH_BENEATH = 1;
const NET_PORT = 2;
const PR_SET_NO_NEW_PRIVS = 38;
/** Refers to a file without opening it. */
const O_PATH = 0o10000000;

/** Bits of linux/landlock.h. */
const of = { execute: 1n, write: 2n, read: 4n, readDir: 8n, truncate: 1n << 14n } as const;
const onFiles = of.execute | of.write | of.read | of.truncate;
const toRead = of.execute | of.read | of.readDir;
/** Creating, removing and moving folders, files and links, but no devices, sockets or FIFOs. */
const toChange = (1n << 4n) | (1n << 5n) | (1n << 7n) | (1n << 8n) | (1n << 12n) | (1n << 13n);
const toReadWrite = of.write | of.read | of.readDir | of.truncate | toChange;
const BIND = 1n;
const CONNECT = 2n;
/** Abstract sockets and signals to processes outside. */
const SCOPES = 3n;

/** The kinds of access that need rules, by the kernel's Landlock version. */
function handledFiles(version: number): bigint {
  if (version >= 5) return 0xffffn;
  if (version >= 3) return 0x7fffn;
  return version === 2 ? 0x3fffn : 0x1fffn;
}

/** False when the kernel has no Landlock, or this process may not use it. */
export function restrictTo(native: Native, reach: Reach): boolean {
  const version = native.syscall(CREATE_RULESET, 0, 0, VERSION);
  if (version < 1) return false;
  const attributes = Buffer.alloc(24);
  attributes.writeBigUInt64LE(handledFiles(version), 0);
  if (version >= 4) attributes.writeBigUInt64LE(BIND | CONNECT, 8);
  if (version >= 6) attributes.writeBigUInt64LE(SCOPES, 16);
  const size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const rules = native.syscall(CREATE_RULESET, attributes, size, 0);
  if (rules < 0) return false;
  const ruleset: Ruleset = { native, rules, version };
  for (const path of reach.read) allow(ruleset, path, toRead);
  for (const path of reach.readWrite) allow(ruleset, path, toReadWrite);
  if (version >= 4) {
    for (const port of reach.listen) allowPort(ruleset, port, BIND);
    for (const port of reach.connect) allowPort(ruleset, port, CONNECT);
  }
  if (native.prctl(PR_SET_NO_NEW_PRIVS, 1) < 0) return false;
  return native.syscall(RESTRICT_SELF, rules, 0) === 0;
}

interface Ruleset {
  readonly native: Native;
  /** File descriptor. */
  readonly rules: number;
  readonly version: number;
}

function allow({ native, rules, version }: Ruleset, path: string, wanted: bigint): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  const possible = found.isDirectory() ? wanted : wanted & onFiles;
  const file = openSync(path, O_PATH);
  try {
    const rule = Buffer.alloc(12);
    rule.writeBigUInt64LE(possible & handledFiles(version), 0);
    rule.writeInt32LE(file, 8);
    if (native.syscall(ADD_RULE, rules, PATH_BENEATH, rule, 0) < 0) {
      throw new Error(`Landlock did not accept ${path}.`);
    }
  } finally {
    closeSync(file);
  }
}

function allowPort({ native, rules }: Ruleset, port: number, access: bigint): void {
  const rule = Buffer.alloc(16);
  rule.writeBigUInt64LE(access, 0);
  rule.writeBigUInt64LE(BigInt(port), 8);
  if (native.syscall(ADD_RULE, rules, NET_PORT, rule, 0) < 0) {
    throw new Error(`Landlock did not accept the port ${port}.`);
  }
}
