import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { toMetadataError } from './prisma-errors.ts';

/** Opaque to use cases. */
export type StoreTransaction = Prisma.TransactionClient;

/** What a write runs on: its own transaction, or one that is rolled back. */
export type Transactional = Pick<PrismaClient, '$transaction'>;

class RolledBack extends Error {}

/**
 * Does the work in one transaction and rolls it back: nothing is written or announced. Transactions that the work opens
 * on the given client become part of it.
 */
export async function rollBack<T>(
  prisma: Transactional,
  limits: { readonly maxWait: number; readonly timeout: number },
  work: (client: Transactional, tx: StoreTransaction) => Promise<T>,
): Promise<T> {
  const result: { value?: T } = {};
  try {
    await prisma.$transaction(async (tx) => {
      const $transaction = ((inner: (client: StoreTransaction) => Promise<unknown>) =>
        inner(tx)) as PrismaClient['$transaction'];
      result.value = await work({ $transaction }, tx);
      throw new RolledBack();
    }, limits);
  } catch (error) {
    if (error instanceof RolledBack) return result.value as T;
    throw toMetadataError(error);
  }
  throw new Error('the transaction of a dry run was not rolled back');
}
