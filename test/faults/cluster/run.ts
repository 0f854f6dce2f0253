/** The command `npm run faults -- cluster …`. */
import { tryCluster } from './acceptance.ts';
import type { Row } from './check.ts';
import { ClusterUsageError, clusterUsage, parseClusterOptions } from './options.ts';

/** Returns the exit code. */
export async function runCluster(
  args: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  const stop = new AbortController();
  const onSignal = () => stop.abort(new Error('stopped by a signal'));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    const options = parseClusterOptions(args);
    const onRow = (row: Row) => (options.json ? undefined : print(line(row)));
    const rows = await tryCluster(options, { onRow, signal: stop.signal });
    if (options.json) print(JSON.stringify(rows, null, 2));
    else print(summary(rows));
    return stop.signal.aborted || rows.some(({ result }) => result === 'failed') ? 1 : 0;
  } catch (error) {
    if (error instanceof ClusterUsageError) {
      print(`${error.message}\n\n${clusterUsage}`);
      return 2;
    }
    print(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

const marks = { passed: 'passed', failed: 'FAILED', 'not applicable': 'n/a' } as const;

function line({ name, result, why }: Row): string {
  return `${marks[result].padEnd(7)} ${name}${why === '' ? '' : `: ${why}`}`;
}

function summary(rows: readonly Row[]): string {
  const count = (result: Row['result']) => rows.filter((row) => row.result === result).length;
  return `\n${count('passed')} passed, ${count('failed')} failed, ${count('not applicable')} do not apply`;
}
