/** The field by Fastify and Mercurius, with its JIT on from the first request. */
import fastify from 'fastify';
import mercurius from 'mercurius';
import { resolvers, typeDefs } from './run-schema.ts';

const app = fastify();
await app.register(mercurius, { schema: typeDefs, resolvers, jit: 1 });
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(app.addresses()[0]?.port);
