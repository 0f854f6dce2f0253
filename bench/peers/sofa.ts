/** The field as a REST route by sofa-api: GET /api/run-endpoint. */
import { createServer } from 'node:http';
import { useSofa } from 'sofa-api';
import { listen } from './listen.ts';
import { buildRunSchema } from './run-schema.ts';

listen(createServer(useSofa({ basePath: '/api', schema: buildRunSchema() })));
