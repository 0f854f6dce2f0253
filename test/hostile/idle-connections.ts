/**
 * `node test/hostile/idle-connections.ts [10000]`: opens so many connections to a service of its own, asks it
 * something over another one, and prints what they cost; ends with 1 when that is more than it may be. Takes a limit of open files above the number.
 */
import { openIdleConnections } from './support/idle.ts';
import { idleProblems, toMegabytes } from './support/memory.ts';
import { startServiceProcess } from './support/service-process.ts';
import { rest } from './support/world.ts';

const count = Number(process.argv[2] ?? 10_000);
const service = await startServiceProcess({
  HEADERS_TIMEOUT_SECONDS: '120',
  KEEP_ALIVE_SECONDS: '120',
});
try {
  const before = await service.memory();
  const startedAt = performance.now();
  const idle = await openIdleConnections(service.world.port, count);
  const openedMs = performance.now() - startedAt;
  const during = await service.memory();
  const askedAt = performance.now();
  const { status } = await rest(service.world, { method: 'GET', path: '/endpoints/plain/run' });
  const answeredMs = performance.now() - askedAt;
  const kilobytes = (during.rss - before.rss) / 1024;
  console.log(
    `${idle.open()} of ${count} connections open after ${openedMs.toFixed(0)} ms; a run over another one: ${status} in ${answeredMs.toFixed(1)} ms`,
  );
  console.log(
    `resident ${toMegabytes(before.rss)} → ${toMegabytes(during.rss)} MB, ${(kilobytes / count).toFixed(1)} KB for each`,
  );
  idle.close();
  const problems = [...idleProblems(before, during, count), ...service.faults()];
  for (const problem of problems) console.error(problem);
  if (status !== 200 || idle.sockets.length !== count || problems.length > 0) process.exitCode = 1;
} finally {
  await service.stop();
}
