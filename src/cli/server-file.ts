/** `<data folder>/server.json`: how a command on the same machine reaches a running server's backends. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivateFile } from '../lib/private-file.ts';
import { makePrivateFolder } from '../lib/private-folder.ts';

const serverFile = z.object({
  pid: z.number().int().positive(),
  /** URL of the service. */
  url: z.string(),
  /** Whether it holds the folder's lock; a server without local backends does not. */
  holds_data_folder: z.boolean(),
  database_url: z.string(),
  engine: z.object({
    url: z.string(),
    /** Set for a multi-node engine. */
    nodes: z.array(z.string()).optional(),
    cluster: z.string().optional(),
    user: z.string(),
    password: z.string(),
    /** The passwords of the projects' engine users are derived from it. */
    secret: z.string(),
    /** Whether the server started the engine: its users are then in a file that only the server writes. */
    local: z.boolean(),
  }),
});

export type ServerFile = z.infer<typeof serverFile>;

function pathOf(dataDir: string): string {
  return join(dataDir, 'server.json');
}

export function writeServerFile(dataDir: string, facts: ServerFile): void {
  makePrivateFolder(dataDir);
  writePrivateFile(pathOf(dataDir), `${JSON.stringify(facts, null, 2)}\n`);
}

/** Null when it is missing, or the process that wrote it has ended. */
export function readServerFile(dataDir: string): ServerFile | null {
  const facts = readFacts(dataDir);
  return facts !== null && isAlive(facts.pid) ? facts : null;
}

/** Removes it unless another process has written it since. */
export function removeServerFile(dataDir: string): void {
  if (readFacts(dataDir)?.pid === process.pid) rmSync(pathOf(dataDir), { force: true });
}

function readFacts(dataDir: string): ServerFile | null {
  try {
    const parsed = serverFile.safeParse(JSON.parse(readFileSync(pathOf(dataDir), 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR' || error instanceof SyntaxError) return null;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
