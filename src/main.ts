/** `querydock`: reads the command line, runs one command, and exits with its status. */
import { explainError } from './cli/explain-error.ts';
import { outliveReaders } from './cli/output.ts';
import { buildProgram } from './cli/program.ts';
import { Interrupted } from './cli/with-session.ts';

async function run(): Promise<number> {
  try {
    await buildProgram().parseAsync(process.argv);
    return 0;
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    const message = explainError(error);
    const stack = error instanceof Error ? error.stack : String(error);
    process.stderr.write(`querydock: ${message ?? `an unexpected error\n${stack}`}\n`);
    return 1;
  }
}

outliveReaders();
// Explicit, because a handle somewhere in a library must not keep a finished command alive.
process.exit(await run());
