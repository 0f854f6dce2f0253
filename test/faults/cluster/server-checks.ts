/** What one server has to let the service do, tried as its administrator. */
import { type Check, failed, notApplicable, passed, type World } from './check.ts';
import { SqlError } from './servers.ts';

/** Of a server that takes its users from files: they are not allowed to be made, or there is nowhere to keep them. */
const noUsersBySql: ReadonlySet<number> = new Set([493, 495, 497, 514]);

const readable = ['processes', 'tables', 'columns', 'mutations', 'row_policies', 'settings'];

async function tryUsers({ servers, database }: World) {
  try {
    await servers.sql(`CREATE USER ${database} IDENTIFIED WITH sha256_password BY '${database}'`);
  } catch (error) {
    if (!(error instanceof SqlError) || !noUsersBySql.has(error.code)) throw error;
    return notApplicable(`an operator makes them: ${error.message}`);
  }
  await servers.sql(`DROP USER ${database}`);
  await servers.sql(`CREATE SETTINGS PROFILE ${database} SETTINGS max_threads MIN 1 MAX 4`);
  await servers.sql(`DROP SETTINGS PROFILE ${database}`);
  return passed();
}

export const serverChecks: readonly Check[] = [
  {
    name: 'The servers answer',
    async try({ servers }) {
      const versions = await servers.each('SELECT version()');
      const different = new Set(versions);
      const found = `${versions.length} of them, ClickHouse ${[...different].join(' and ')}`;
      return different.size === 1 ? passed(found) : failed(`${found}: give all the same version`);
    },
  },
  {
    name: 'The administrator makes and drops a database and a table',
    async try({ servers, database }) {
      await servers.each(`CREATE DATABASE ${database}`);
      const table = `${database}.t`;
      await servers.each(`CREATE TABLE ${table} (n UInt64) ENGINE = MergeTree ORDER BY n`);
      await servers.each(`INSERT INTO ${table} SELECT number FROM numbers(10)`);
      const sums = await servers.each(`SELECT sum(n) FROM ${table}`);
      await servers.each(`DROP DATABASE ${database} SYNC`);
      return sums.every((sum) => sum === '45') ? passed() : failed(`the sums are ${sums.join()}`);
    },
  },
  {
    name: 'The administrator reads what the service asks for',
    async try({ servers }) {
      for (const table of readable) await servers.sql(`SELECT * FROM system.${table} LIMIT 0`);
      return passed(`system.${readable.join(', system.')}`);
    },
  },
  {
    name: 'The administrator stops queries',
    async try({ servers }) {
      await servers.sql("KILL QUERY WHERE query_id = 'querydock_acceptance' SYNC");
      return passed();
    },
  },
  { name: 'The administrator makes users and settings profiles by SQL', try: tryUsers },
];
