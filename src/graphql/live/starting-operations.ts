/**
 * Operations of a WebSocket whose first result is awaited. The protocol's library stops only operations that have started,
 * and accepts another one of the same id while a stopped one is still about to report its end.
 */
import { setImmediate as turn } from 'node:timers/promises';

export interface StartingOperation {
  /** Aborted when the client ends the operation, or leaves. */
  readonly signal: AbortSignal;
  /** Called once, with the first result or a refusal. */
  settled(): void;
}

interface Starting {
  readonly stopping: AbortController;
  readonly isSettled: Promise<void>;
}

export class StartingOperations {
  readonly #starting = new Map<string, Starting>();
  /** Messages that wait for a stopped operation of their id, the last of each id. */
  readonly #held = new Map<string, Promise<void>>();

  begin(id: string): StartingOperation {
    const stopping = new AbortController();
    let resolve = (): void => undefined;
    const isSettled = new Promise<void>((done) => {
      resolve = done;
    });
    const starting = { stopping, isSettled };
    this.#starting.set(id, starting);
    const settled = (): void => {
      if (this.#starting.get(id) === starting) this.#starting.delete(id);
      resolve();
    };
    return { signal: stopping.signal, settled };
  }

  /** Passes a message on, in the order of its operation's id. */
  pass(message: unknown, take: () => void): void {
    const { type, id } = (message ?? {}) as { readonly type?: unknown; readonly id?: unknown };
    const isEnd = type === 'complete';
    const key = typeof id === 'string' ? id : '';
    const deliver = (): void => {
      if (isEnd) this.#starting.get(key)?.stopping.abort();
      take();
    };
    const stopped = isEnd ? undefined : this.#stoppedOf(key);
    if (stopped === undefined && !this.#held.has(key)) {
      deliver();
      return;
    }
    const held = this.#inOrder(key, isEnd).then(() => {
      if (this.#held.get(key) === held) this.#held.delete(key);
      deliver();
    });
    this.#held.set(key, held);
  }

  /** Resolves after the messages before, and after a stopped operation of the id. */
  async #inOrder(id: string, isEnd: boolean): Promise<void> {
    await this.#held.get(id);
    const stopped = isEnd ? undefined : this.#stoppedOf(id);
    await stopped;
    // The library reports the end of the stopped operation in this turn.
    await turn();
  }

  stopAll(): void {
    for (const { stopping } of this.#starting.values()) stopping.abort();
  }

  #stoppedOf(id: string): Promise<void> | undefined {
    const starting = this.#starting.get(id);
    return starting?.stopping.signal.aborted === true ? starting.isSettled : undefined;
  }
}
