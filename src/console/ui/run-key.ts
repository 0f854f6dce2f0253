import type { KeyboardEvent } from 'react';

/** Runs on Ctrl-Enter, in every input of the element that has this handler; Cmd-Enter on a Mac. */
export function runKey(run: () => void) {
  return (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    if (event.defaultPrevented) return;
    event.preventDefault();
    run();
  };
}
