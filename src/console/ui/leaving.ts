/** Leaving what is shown other than by navigation, which unsaved changes hold up. */

type Ask = (leave: () => void) => void;

let ask: Ask | null = null;

/** @param next asks, and calls `leave` if the person agrees; null when nothing can be lost. */
export function askBeforeLeaving(next: Ask | null): void {
  ask = next;
}

export function leaveBy(leave: () => void): void {
  if (ask === null) leave();
  else ask(leave);
}
