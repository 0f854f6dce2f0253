/** The service as a process of its own, with short times, for a test that kills it. Prints where it listens. */
import { createKey } from '../../../src/access/create-key.ts';
import { openApp } from '../../../src/app.ts';
import { openBackends } from '../../../src/backends.ts';
import { readConfig } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';

const config = readConfig(process.env);
const log = openLog('silent');
const backends = await openBackends(config, log);
const app = await openApp({
  config,
  log,
  backends,
  workerTimes: {
    leaseMs: 1200,
    heartbeatMs: 400,
    silentMs: 1200,
    skewMs: 300,
    pollMs: 50,
    dropDelayMs: 300,
    sweepMs: 500,
    firstRetryMs: 100,
  },
});

async function setUp(): Promise<{ readonly projectId: number; readonly key: string }> {
  const { id: projectId } = await app.core.projects.createProject('loop');
  await app.core.engine.provision(projectId);
  const user = await app.core.users.findOrCreateUser({
    email: 'loop@querydock.test',
    firstName: 'Loop',
  });
  const request = { label: 'loop', scopes: ['endpoint:write'], expiresAt: null };
  const { key } = await createKey(app.core, user.id, { ...request, projectIds: [projectId] });
  return { projectId, key };
}

const made = process.argv[2] === 'set-up' ? await setUp() : null;
const { port } = await app.start();
process.stdout.write(`${JSON.stringify({ port, made })}\n`);
