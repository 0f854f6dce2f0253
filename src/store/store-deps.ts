import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Clock } from '../lib/clock.ts';

export interface StoreDeps {
  readonly prisma: PrismaClient;
  readonly clock: Clock;
}
