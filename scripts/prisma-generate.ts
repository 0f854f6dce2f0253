/**
 * Writes src/generated from prisma/schema.prisma.
 *
 * Prisma's command line looks for a schema engine binary and downloads one when it finds none, though
 * `generate` never runs it. Naming any executable keeps the step offline.
 */
import { spawnSync } from 'node:child_process';

const result = spawnSync('prisma', ['generate', '--config', 'prisma/config.ts'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  },
});
process.exit(result.status ?? 1);
