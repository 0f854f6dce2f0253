/** A process that has an engine in the folder it is given; prints the child's id, then waits to be killed. */
import { openEmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts';
import { config, log, secret } from './local-engine.ts';

const dir = process.argv[2];
if (dir === undefined) throw new Error('the folder is missing');
const engine = await openEmbeddedEngine({ dir, config, log, secret, highestProjectId: 0 });
process.stdout.write(`${engine.pid()}\n`);
