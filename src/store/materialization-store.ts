/**
 * Syncs of materializations: due syncs are claimed, then completed, failed or released. Every transition is one
 * transaction, conditional on the claim still being held, and returns whether it happened.
 */
import type { PrismaClient } from '../generated/prisma/client.ts';
import { openStore, type Store } from './open-store.ts';
import * as storedTables from './stored-tables.ts';
import * as claims from './sync-claim.ts';
import * as transitions from './sync-transitions.ts';

/** Every function that the three files export. */
const operations = { ...storedTables, ...claims, ...transitions };

export type MaterializationStore = Store<typeof operations>;

export function openMaterializationStore(deps: {
  readonly prisma: PrismaClient;
}): MaterializationStore {
  return openStore(deps.prisma, operations);
}
