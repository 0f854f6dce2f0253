/**
 * The service as a process of its own, with backends of its own, for a test that attacks it and watches what it
 * retains. Sends its port first, then its memory on each message. Ends when its parent goes.
 */
import { createKey } from '../../../src/access/create-key.ts';
import { openApp } from '../../../src/app.ts';
import { openBackends } from '../../../src/backends.ts';
import { readConfig } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';
import type { Access } from './world.ts';

/** The first message of the process. */
export interface Opened {
  readonly port: number;
  readonly own: Access;
  readonly other: Access;
  readonly secrets: readonly string[];
}

/** Its reply to each message: bytes, after a garbage collection. */
export interface Memory {
  readonly rss: number;
  readonly heap: number;
  readonly flights: number;
}

const config = readConfig(process.env);
const log = openLog(config.logLevel);
const backends = await openBackends(config, log);
const app = await openApp({ config, log, backends });

async function makeProject(name: string): Promise<Access> {
  const { id: projectId } = await app.core.projects.createProject(name);
  await app.core.engine.provision(projectId);
  const user = await app.core.users.findOrCreateUser({
    email: 'author@querydock.test',
    firstName: 'Ada',
  });
  const issue = async (scope: string): Promise<string> => {
    const request = { label: name, scopes: [scope], expiresAt: null, projectIds: [projectId] };
    return (await createKey(app.core, user.id, request)).key;
  };
  return {
    projectId,
    readKey: await issue('endpoint:read'),
    writeKey: await issue('endpoint:write'),
  };
}

const own = await makeProject('own');
const other = await makeProject('other');
const { port } = await app.start();
const { url, admin } = backends.engineConnection;
const secrets = [admin.password, `:${new URL(url).port}`];
process.send?.({ port, own, other, secrets } satisfies Opened);

process.on('message', () => {
  globalThis.gc?.();
  const { rss, heapUsed: heap } = process.memoryUsage();
  process.send?.({ rss, heap, flights: app.core.flights.size() } satisfies Memory);
});
process.on('disconnect', () => {
  void app
    .stop()
    .then(() => backends.stop())
    .finally(() => process.exit());
});
