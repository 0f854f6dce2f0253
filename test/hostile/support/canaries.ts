/** What an attack must not touch: a row of another project, a file, a port, and the attacker's own tables. */
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestApp, type TestApp } from '../../support/test-app.ts';
import { ownTables } from './tables.ts';

export const secretRow = 'CANARY-ROW-5d1c';
export const secretInFile = 'CANARY-FILE-9e47';

export interface Canaries {
  /** The text with OTHER, OWN, FILE, DIR and PORT as they are here. */
  fill(text: string): string;
  /** What of all of it has been touched; empty when nothing. */
  touched(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Makes the attacker's tables in the app's project, and the canaries around it. */
export async function openCanaries(tested: TestApp): Promise<Canaries> {
  for (const statement of ownTables) await tested.sql(statement);
  await tested.sql('CREATE TABLE secret (v String) ENGINE = MergeTree ORDER BY v', tested.other);
  await tested.sql(`INSERT INTO secret VALUES ('${secretRow}')`, tested.other);
  // The engine may read it: what keeps it must be the guard or a grant, not the mode of the file.
  const dir = await mkdtemp(join(tmpdir(), 'querydock-canary-'));
  await chmod(dir, 0o777);
  const file = join(dir, 'secret.txt');
  await writeFile(file, secretInFile);
  await chmod(file, 0o644);
  const port = await openPort();
  const words: Readonly<Record<string, string>> = {
    OTHER: `project_${tested.other.id}`,
    OWN: `project_${tested.project.id}`,
    FILE: file,
    DIR: dir,
    PORT: String(port.number),
  };
  const state = (project: TestApp['project']) =>
    tested.sql(
      `SELECT name, total_rows, create_table_query FROM system.tables WHERE database = 'project_${project.id}' AND NOT startsWith(name, '_attack') ORDER BY name`,
    );
  const own = await state(tested.project);
  const other = await state(tested.other);
  return {
    fill: (text) =>
      text.replace(/\b(?:OTHER|OWN|FILE|DIR|PORT)(?![A-Z])/g, (word) => words[word] ?? word),
    async touched() {
      const found: string[] = [];
      if (port.calls() > 0) found.push(`the port was called ${port.calls()} times`);
      const files = await readdir(dir);
      if (files.join() !== 'secret.txt') found.push(`files were written: ${files.join()}`);
      if ((await state(tested.project)) !== own) found.push('the attacker’s tables');
      if ((await state(tested.other)) !== other) found.push('the tables of the other project');
      return found;
    },
    async close() {
      await port.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function openPort() {
  let calls = 0;
  const server = createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  const number = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(address === null || typeof address === 'string' ? 0 : address.port);
    });
  });
  return {
    number,
    calls: () => calls,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** An endpoint of the other project whose answer holds its secret row. */
async function hideSecret(tested: TestApp): Promise<void> {
  const project = tested.other;
  const body = { name: 'hidden', query: "SELECT v, 'CANARY-ENDPOINT' AS name FROM secret" };
  const made = await tested.rest('POST', '/endpoints', { body, project });
  const run = await tested.rest('GET', '/endpoints/hidden/run', { project });
  if (made.status !== 201 || !run.text.includes(secretRow)) throw new Error(run.text);
}

/** An app with canaries, another project's secret endpoint, and one of the attacker's own by the name of `shown`. */
export async function openGuardedApp(): Promise<{
  readonly tested: TestApp;
  readonly canaries: Canaries;
}> {
  const tested = await openTestApp();
  const canaries = await openCanaries(tested);
  await hideSecret(tested);
  await tested.rest('POST', '/endpoints', { body: { name: 'shown', query: 'SELECT 1 AS v' } });
  return { tested, canaries };
}
