/** Reads the command line, runs one command, and exits with its status. */
import { CommanderError } from 'commander';
import { explainError } from './explain-error.ts';
import { outliveReaders } from './output.ts';
import { buildProgram } from './program.ts';
import { Interrupted } from './with-session.ts';

/**
 * Runs the command of these arguments, which are those after the program's name, and returns its exit status. Never
 * throws: every error is printed.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    await buildProgram().parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Its message, or the help that was requested, is printed already.
    if (error instanceof CommanderError) return error.exitCode;
    if (error instanceof Interrupted) return error.exitCode;
    const message = explainError(error);
    const stack = error instanceof Error ? error.stack : String(error);
    process.stderr.write(`querydock: ${message ?? `an unexpected error\n${stack}`}\n`);
    return 1;
  }
}

export async function runCommandLine(): Promise<never> {
  const whyNotWritten = outliveReaders();
  const status = await runCommand(process.argv.slice(2));
  const reason = await whyNotWritten();
  if (reason !== null)
    process.stderr.write(`querydock: The output could not be written: ${reason}.\n`);
  // Explicit, because a handle somewhere in a library must not keep a finished command alive.
  process.exit(reason === null ? status : 1);
}
