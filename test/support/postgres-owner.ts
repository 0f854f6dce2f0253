/**
 * A process that owns a local PostgreSQL, to be killed by a test: `node postgres-owner.ts <dir>`.
 * Prints one line, `ready` or what went wrong, and stops in order when its standard input ends.
 */
import { openLog } from '../../src/config/open-log.ts';
import { openEmbeddedPostgres } from '../../src/store/embedded-postgres.ts';

try {
  const postgres = await openEmbeddedPostgres({
    dir: process.argv[2] ?? '',
    log: openLog('error'),
  });
  process.stdout.write('ready\n');
  process.stdin.on('end', () => postgres.stop().then(() => process.exit(0)));
  process.stdin.resume();
} catch (error) {
  process.stdout.write(
    `${error instanceof Error ? `${error.name}: ${error.message}` : 'unknown'}\n`,
  );
  process.exitCode = 1;
}
