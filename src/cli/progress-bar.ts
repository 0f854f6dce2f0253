import { Presets, SingleBar } from 'cli-progress';
import type { Progress, StartProgress } from '../lib/progress.ts';
import { formatBytes, print } from './output.ts';

/** A bar on a terminal; where there is none, one line that says what is being done. */
export const startProgressBar: StartProgress = (title, total) => {
  if (process.stdout.isTTY !== true) {
    print(`${title} (${formatBytes(total)}) …`);
    return silent;
  }
  const bar = new SingleBar(
    {
      format: `${title} {bar} {percentage}% of ${formatBytes(total)}`,
      stream: process.stdout,
      hideCursor: true,
      // Leaves a signal to the service, which shows the cursor again when the bar ends.
      gracefulExit: false,
    },
    Presets.shades_classic,
  );
  bar.start(total, 0);
  return {
    update: (done) => bar.update(Math.min(done, total)),
    end: () => bar.stop(),
  };
};

const silent: Progress = { update: () => undefined, end: () => undefined };

/** For a command that prints JSON. */
export const noProgress: StartProgress = () => silent;
