/** The world inside a test file: the service of `openTestApp`, on a port of its own. */
import type { Config } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';
import { isStream } from '../../../src/http/message.ts';
import type { Dispatch } from '../../../src/server/dispatch.ts';
import { openTestApp, type TestApp, type TestProject } from '../../support/test-app.ts';
import type { HostileRequest, RawResponse } from './exchange.ts';
import type { Saved } from './saved-endpoints.ts';
import {
  type Access,
  type Carrier,
  openWorld,
  overSocket,
  saveEndpoints,
  type World,
} from './world.ts';

export interface TestWorld {
  readonly test: TestApp;
  /** Over sockets. */
  readonly world: World;
  /** The same service without a socket. */
  readonly inProcess: World;
  /** Lines of its log that tell of a fault of its own, since the last call. */
  readonly faults: () => readonly string[];
}

export async function openTestWorld(
  settings: Partial<Config> = {},
  more: readonly Saved[] = [],
): Promise<TestWorld> {
  const faults: string[] = [];
  const log = openLog('error', { write: (line) => faults.push(line) });
  const test = await openTestApp({ port: 0, publicUrl: '', ...settings }, log);
  const { port } = await test.app.start();
  const facts = {
    port,
    own: toAccess(test.project),
    other: toAccess(test.other),
    secrets: secretsOf(test),
  };
  const world = openWorld(facts, overSocket(port));
  await saveEndpoints(world, more);
  return {
    test,
    world,
    inProcess: openWorld(facts, byDispatch(test.app.dispatch)),
    faults: () => faults.splice(0),
  };
}

function toAccess({ id, readKey, writeKey }: TestProject): Access {
  return { projectId: id, readKey, writeKey };
}

/** What stands in the settings and the parts, and in no answer. */
function secretsOf(test: TestApp): readonly string[] {
  const { user, password } = test.backends.engineConnection.admin;
  const { port } = new URL(test.backends.engineConnection.url);
  return [password, `:${port}`, `${user}:`, test.adminKey].filter((text) => text.length > 4);
}

/** Past the sockets, with the request as a socket would have it read. */
function byDispatch(dispatch: Dispatch): Carrier {
  return async ({ method, target, headers, body }: HostileRequest): Promise<RawResponse> => {
    const at = target.indexOf('?');
    const given = new Headers();
    for (const [name, value] of headers) given.append(name, value);
    const response = await dispatch({
      method,
      path: at === -1 ? target : target.slice(0, at),
      search: at === -1 ? '' : target.slice(at),
      headers: given,
      body,
      isTooLarge: false,
      signal: new AbortController().signal,
      remoteAddress: null,
    });
    const isEmpty = method === 'HEAD' || response.status === 204 || response.status === 304;
    const pieces: Buffer[] = [];
    if (isStream(response.body)) for await (const more of response.body) pieces.push(...more);
    else pieces.push(...response.body);
    return {
      status: response.status,
      headers: new Map(
        Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      body: isEmpty ? Buffer.alloc(0) : Buffer.concat(pieces),
    };
  };
}
