import { Presets, SingleBar } from 'cli-progress';
import type { Progress, StartProgress } from '../lib/progress.ts';
import { formatBytes, print } from './output.ts';

/** A bar on a terminal; elsewhere one line. */
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
      // The service handles signals itself; the bar restores the cursor when it ends.
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
