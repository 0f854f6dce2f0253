/** Which nodes of an engine answer. One that does not is asked again every second, and gets no requests meanwhile. */
import type { Log } from '../../../lib/log.ts';
import { EngineError } from '../errors/engine-error.ts';
import { unavailable } from '../errors/failures.ts';
import type { EngineLogin } from './connection.ts';
import type { EngineNode } from './engine-nodes.ts';
import type { EngineClient } from './http-client.ts';

export interface AskedNode extends EngineNode {
  readonly client: EngineClient;
}

export interface NodeHealth {
  isAway(node: AskedNode): boolean;
  /** Aborted when the node is found to be away, with the error that its requests then fail with. */
  gone(node: AskedNode): AbortSignal;
  /** A request could not reach it, or lost its connection. */
  suspect(node: AskedNode, isUnreachable: boolean): void;
  /** Asks every node, and resolves when each has answered or is found to be away. */
  check(): Promise<void>;
  /** Runs before a node that was away counts as back; when it rejects, the node stays away and is asked again. */
  beforeReturn(prepare: (node: AskedNode, isRestarted: boolean) => Promise<void>): void;
  close(): void;
}

interface State {
  readonly node: AskedNode;
  isAway: boolean;
  /** How often in a row it has not answered. */
  misses: number;
  /** The latest time at which its process can have begun, by the answer that came last. */
  began: number;
  /** Since it was prepared last. */
  isRestarted: boolean;
  gone: AbortController;
  checking: Promise<void> | null;
}

const INTERVAL_MS = 1000;
const TIMEOUT_MS = 3000;
/** One answer that is late says nothing about a node that is busy. */
const MAX_MISSES = 2;

export interface HealthOptions {
  /** Of the requests that ask. */
  readonly login: EngineLogin;
  readonly log: Log;
}

export function openNodeHealth(
  nodes: readonly AskedNode[],
  { login, log }: HealthOptions,
): NodeHealth {
  const states = new Map<AskedNode, State>(
    nodes.map((node) => [
      node,
      {
        node,
        isAway: false,
        misses: 0,
        began: Number.POSITIVE_INFINITY,
        isRestarted: false,
        gone: new AbortController(),
        checking: null,
      },
    ]),
  );
  const preparations: ((node: AskedNode, isRestarted: boolean) => Promise<void>)[] = [];
  const stateOf = (node: AskedNode): State => {
    const state = states.get(node);
    if (state === undefined) throw new Error('not a node of this engine');
    return state;
  };

  async function ask(state: State): Promise<void> {
    const asked = performance.now();
    const uptimeMs = await uptimeOf(state.node, login);
    if (uptimeMs === null) {
      state.misses += 1;
      if (state.misses >= MAX_MISSES) leave(state, log);
      return;
    }
    // What it had may be gone with its process, however short it was away.
    if (asked - uptimeMs - SECOND_MS > state.began) {
      state.isRestarted = true;
      leave(state, log);
    }
    if (!Number.isNaN(uptimeMs)) state.began = performance.now() - uptimeMs;
    if (state.isAway) {
      for (const prepare of preparations) await prepare(state.node, state.isRestarted);
      state.isRestarted = false;
      state.gone = new AbortController();
      log.info({ node: state.node.url }, 'a node of the engine answers again');
    }
    state.isAway = false;
    state.misses = 0;
  }

  /** Once for all who ask meanwhile. */
  function check(state: State): Promise<void> {
    state.checking ??= ask(state)
      .catch((error: unknown) => {
        log.warn({ err: error, node: state.node.url }, 'a node that is back could not be prepared');
      })
      .finally(() => {
        state.checking = null;
      });
    return state.checking;
  }

  async function checkAll(): Promise<void> {
    await Promise.all([...states.values()].map(check));
    // A second time where the first was missed.
    const unsure = [...states.values()].filter(({ isAway, misses }) => !isAway && misses > 0);
    await Promise.all(unsure.map(check));
  }

  const timer = setInterval(() => void checkAll(), INTERVAL_MS).unref();
  return {
    isAway: (node) => stateOf(node).isAway,
    gone: (node) => stateOf(node).gone.signal,
    suspect(node, isUnreachable) {
      const state = stateOf(node);
      if (isUnreachable) leave(state, log);
      else void check(state);
    },
    check: checkAll,
    beforeReturn: (prepare) => void preparations.push(prepare),
    close: () => clearInterval(timer),
  };
}

function leave(state: State, log: Log): void {
  if (state.isAway) return;
  state.isAway = true;
  log.warn({ node: state.node.url }, 'a node of the engine does not answer');
  state.gone.abort(unavailable(`the node ${state.node.url} does not answer`));
}

/** What the engine says of its uptime is in whole seconds. */
const SECOND_MS = 1000;

/** Null: it does not answer. An error of the engine is an answer, which says nothing of the time, unless it is a page of a proxy before it. */
async function uptimeOf({ client }: AskedNode, login: EngineLogin): Promise<number | null> {
  try {
    const { body } = await client.send({ login, sql: 'SELECT uptime()', timeoutMs: TIMEOUT_MS });
    return Number(body.toString('utf8')) * SECOND_MS;
  } catch (error) {
    return error instanceof EngineError && error.code !== 0 ? Number.NaN : null;
  }
}
