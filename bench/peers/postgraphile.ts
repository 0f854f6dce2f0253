/** The same rows from a table of PostgreSQL by PostGraphile: POST /graphql. It has no cache of results. */
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { listen } from './listen.ts';

const connectionString = process.env.DATABASE_URL ?? '';
const server = createServer();
const serv = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString, schemas: ['bench'] })],
  grafserv: { watch: false },
}).createServ(grafserv);
await serv.addTo(server);
listen(server);
