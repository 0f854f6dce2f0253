/** What tells one metadata database from all others, also from a copy of it. */
import { createHash } from 'node:crypto';
import type { PrismaClient } from '../generated/prisma/client.ts';

interface Identified {
  readonly database: string;
  readonly mayAsk: boolean;
}

/**
 * 32 hexadecimal digits. Another after the database was restored from a dump or its server was upgraded to another major version;
 * the same on a standby that takes over.
 */
export async function readDeploymentId(prisma: PrismaClient): Promise<string> {
  const [row] = await prisma.$queryRaw<readonly Identified[]>`
    SELECT oid::text AS database, has_function_privilege('pg_control_system()', 'EXECUTE') AS "mayAsk"
    FROM pg_database WHERE datname = current_database()`;
  const cluster = row?.mayAsk === true ? await readCluster(prisma) : '';
  return createHash('sha256').update(`${cluster}/${row?.database}`).digest('hex').slice(0, 32);
}

async function readCluster(prisma: PrismaClient): Promise<string> {
  const [row] = await prisma.$queryRaw<
    readonly { readonly id: string }[]
  >`SELECT system_identifier::text AS id FROM pg_control_system()`;
  return row?.id ?? '';
}
