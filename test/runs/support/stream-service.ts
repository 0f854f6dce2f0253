/**
 * The service as a process of its own, for a test of what it holds in memory. Prints where it listens; then, for
 * each line that it is sent, the most memory it has ever had, in bytes.
 */
import { createInterface } from 'node:readline';
import { createKey } from '../../../src/access/create-key.ts';
import { openApp } from '../../../src/app.ts';
import { openBackends } from '../../../src/backends.ts';
import { readConfig } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';

const config = readConfig(process.env);
const log = openLog('silent');
const backends = await openBackends(config, log);
const app = await openApp({ config, log, backends });
const { id: projectId } = await app.core.projects.createProject('streams');
const user = await app.core.users.findOrCreateUser({ email: 'streams@querydock.test' });
const { key } = await createKey(app.core, user.id, {
  label: 'streams',
  scopes: ['endpoint:write'],
  projectIds: [projectId],
  expiresAt: null,
});
const { port } = await app.start();
process.stdout.write(`${JSON.stringify({ port, key })}\n`);
for await (const _line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(process.resourceUsage().maxRSS * 1024)}\n`);
}
await app.core.engine.deprovision(projectId);
process.exit(0);
