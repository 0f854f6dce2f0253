/** An id that distinguishes a metadata database from all others, even from its copies. */
import { createHash } from 'node:crypto';
import type { PrismaClient } from '../generated/prisma/client.ts';

interface Identified {
  readonly database: string;
  readonly mayRead: boolean;
}

/**
 * 32 hexadecimal digits. It changes when the database is restored from a dump or its server is upgraded to another
 * major version, and stays the same on a standby that takes over.
 */
export async function readDeploymentId(prisma: PrismaClient): Promise<string> {
  const [row] = await prisma.$queryRaw<readonly Identified[]>`
    SELECT oid::text AS database, has_function_privilege('pg_control_system()', 'EXECUTE') AS "mayRead"
    FROM pg_database WHERE datname = current_database()`;
  const cluster = row?.mayRead === true ? await readCluster(prisma) : '';
  return createHash('sha256').update(`${cluster}/${row?.database}`).digest('hex').slice(0, 32);
}

async function readCluster(prisma: PrismaClient): Promise<string> {
  const [row] = await prisma.$queryRaw<
    readonly { readonly id: string }[]
  >`SELECT system_identifier::text AS id FROM pg_control_system()`;
  return row?.id ?? '';
}
