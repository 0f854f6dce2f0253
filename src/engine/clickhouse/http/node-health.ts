/**
 * Health checks of the engine's nodes. A node that does not respond gets no requests and is checked again every second.
 */
import type { Log } from '../../../lib/log.ts';
import { EngineError } from '../errors/engine-error.ts';
import { unavailable } from '../errors/failures.ts';
import type { EngineLogin } from './connection.ts';
import type { EngineNode } from './engine-nodes.ts';
import type { EngineClient } from './http-client.ts';

export interface CheckedNode extends EngineNode {
  readonly client: EngineClient;
}

export interface NodeHealth {
  isDown(node: CheckedNode): boolean;
  /** Aborted when the node is found to be away, with the error that its pending requests then fail with. */
  gone(node: CheckedNode): AbortSignal;
  /** Reports that a request could not reach the node, or lost its connection. */
  suspect(node: CheckedNode, isUnreachable: boolean): void;
  /** Checks every node; resolves when each has responded or is known to be away. */
  check(): Promise<void>;
  /** Runs before a node that was away counts as back; if it rejects, the node stays away and is checked again. */
  beforeReturn(prepare: (node: CheckedNode, isRestarted: boolean) => Promise<void>): void;
  close(): void;
}

interface State {
  readonly node: CheckedNode;
  isDown: boolean;
  /** Number of consecutive missed checks. */
  misses: number;
  /** The latest possible start time of its process, by its last response. */
  began: number;
  /** Whether its process restarted since `prepare` last succeeded. */
  isRestarted: boolean;
  gone: AbortController;
  checking: Promise<void> | null;
}

const INTERVAL_MS = 1000;
const TIMEOUT_MS = 3000;
/** A single late response does not distinguish a dead node from a busy one. */
const MAX_MISSES = 2;

export interface HealthOptions {
  /** Login of the health checks. */
  readonly login: EngineLogin;
  readonly log: Log;
}

export function openNodeHealth(
  nodes: readonly CheckedNode[],
  { login, log }: HealthOptions,
): NodeHealth {
  const states = new Map<CheckedNode, State>(
    nodes.map((node) => [
      node,
      {
        node,
        isDown: false,
        misses: 0,
        began: Number.POSITIVE_INFINITY,
        isRestarted: false,
        gone: new AbortController(),
        checking: null,
      },
    ]),
  );
  const preparations: ((node: CheckedNode, isRestarted: boolean) => Promise<void>)[] = [];
  const stateOf = (node: CheckedNode): State => {
    const state = states.get(node);
    if (state === undefined) throw new Error('not a node of this engine');
    return state;
  };

  async function checkNode(state: State): Promise<void> {
    const sentAt = performance.now();
    const uptimeMs = await uptimeOf(state.node, login);
    if (uptimeMs === null) {
      state.misses += 1;
      if (state.misses >= MAX_MISSES) leave(state, log);
      return;
    }
    // A restart may have lost its state, however short the outage.
    if (sentAt - uptimeMs - SECOND_MS > state.began) {
      state.isRestarted = true;
      leave(state, log);
    }
    if (!Number.isNaN(uptimeMs)) state.began = performance.now() - uptimeMs;
    if (state.isDown) {
      for (const prepare of preparations) await prepare(state.node, state.isRestarted);
      state.isRestarted = false;
      state.gone = new AbortController();
      log.info({ node: state.node.url }, 'an engine node responds again');
    }
    state.isDown = false;
    state.misses = 0;
  }

  /** Single flight. */
  function check(state: State): Promise<void> {
    state.checking ??= checkNode(state)
      .catch((error: unknown) => {
        log.warn(
          { err: error, node: state.node.url },
          'a returning engine node could not be prepared',
        );
      })
      .finally(() => {
        state.checking = null;
      });
    return state.checking;
  }

  async function checkAll(): Promise<void> {
    await Promise.all([...states.values()].map(check));
    // Checks a node a second time after a first miss.
    const unsure = [...states.values()].filter(({ isDown, misses }) => !isDown && misses > 0);
    await Promise.all(unsure.map(check));
  }

  const timer = setInterval(() => void checkAll(), INTERVAL_MS).unref();
  return {
    isDown: (node) => stateOf(node).isDown,
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
  if (state.isDown) return;
  state.isDown = true;
  log.warn({ node: state.node.url }, 'an engine node does not respond');
  state.gone.abort(unavailable(`the node ${state.node.url} does not answer`));
}

/** The engine reports its uptime in whole seconds. */
const SECOND_MS = 1000;

/**
 * Null when the node does not respond. An engine error counts as a response without an uptime; a proxy's error page
 * does not count.
 */
async function uptimeOf({ client }: CheckedNode, login: EngineLogin): Promise<number | null> {
  try {
    const { body } = await client.send({ login, sql: 'SELECT uptime()', timeoutMs: TIMEOUT_MS });
    return Number(body.toString('utf8')) * SECOND_MS;
  } catch (error) {
    return error instanceof EngineError && error.code !== 0 ? Number.NaN : null;
  }
}
