/** `querydock`: runs its command line, compiled from the second time on. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Not in the directory for temporary files, where others might put code. Without the right to write there is no cache.
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled'));
const { runCommandLine } = await import('./cli/run-command-line.ts');
await runCommandLine();
