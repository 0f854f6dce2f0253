/** The attacked service, as the families of hostile input reach it. */
import { exchangeBytes, type HostileRequest, type RawResponse, toBytes } from './exchange.ts';
import { judge } from './judge.ts';
import { fewEndpoints, type Saved } from './saved-endpoints.ts';

/** What a caller of the service has. */
export interface Access {
  readonly projectId: number;
  readonly readKey: string;
  readonly writeKey: string;
}

export interface World {
  readonly port: number;
  readonly own: Access;
  /** A second tenant. */
  readonly other: Access;
  /** Texts that no response may hold. */
  readonly secrets: readonly string[];
  /** Sends one request and judges the response. */
  readonly ask: (request: HostileRequest) => Promise<RawResponse>;
}

export type Carrier = (request: HostileRequest) => Promise<RawResponse>;

/** Over a connection of its own. */
export function overSocket(port: number): Carrier {
  return async (request) => {
    const [response] = await exchangeBytes(port, toBytes(request), {
      isHead: request.method === 'HEAD',
    });
    if (response === undefined) throw new Error('no answer');
    return response;
  };
}

export function openWorld(facts: Omit<World, 'ask'>, carry: Carrier): World {
  return {
    ...facts,
    ask: async (request) => {
      const response = await carry(request);
      judge(response, facts.secrets);
      return response;
    },
  };
}

export const json = ['Content-Type', 'application/json'] as const;
export const bearer = (key: string) => ['Authorization', `Bearer ${key}`] as const;
export const noBody = Buffer.alloc(0);

/** An ordinary REST call. */
export async function rest(
  world: World,
  call: { readonly method: string; readonly path: string; readonly body?: unknown },
  access: Access = world.own,
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const { method, path, body } = call;
  const response = await world.ask({
    method,
    target: `/api/projects/${access.projectId}${path}`,
    headers: [bearer(access.writeKey), ...(body === undefined ? [] : [json])],
    body: body === undefined ? noBody : Buffer.from(JSON.stringify(body)),
  });
  const text = response.body.toString('utf8');
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
}

/** Saves what the families aim at and what must stay as it is, some of it in both projects. */
export async function saveEndpoints(world: World, more: readonly Saved[]): Promise<void> {
  for (const body of [...fewEndpoints, ...more]) await save(world, body, world.own);
  for (const body of fewEndpoints) await save(world, body, world.other);
}

async function save(world: World, body: Saved, access: Access): Promise<void> {
  const made = await rest(world, { method: 'POST', path: '/endpoints', body }, access);
  if (made.status !== 201) throw new Error(`${body.name}: ${JSON.stringify(made.body)}`);
}

/** Names that inputs make and change begin so; everything else must stay as it is. */
const ownNames = /^(fuzz|victim)/;

/** Everything of both projects that no input may change, and what its runs return. */
export async function bystanders(world: World): Promise<unknown> {
  const seen: unknown[] = [];
  for (const access of [world.own, world.other]) {
    const list = await rest(world, { method: 'GET', path: '/endpoints?limit=1000' }, access);
    const rows = list.body.results as readonly Readonly<Record<string, unknown>>[];
    const untouched = rows.filter(
      ({ name }) => access === world.other || !ownNames.test(String(name)),
    );
    seen.push(untouched.map((row) => ({ ...row, last_executed_at: null })));
    const versions = { method: 'GET', path: '/endpoints/bystander/versions' };
    const { results } = (await rest(world, versions, access)).body;
    const known = results as readonly Readonly<Record<string, unknown>>[];
    seen.push(known.map((row) => ({ ...row, last_executed_at: null })));
    const run = { method: 'GET', path: '/endpoints/bystander/run' };
    seen.push((await rest(world, run, access)).body.results);
  }
  return seen;
}

/** Deletes what inputs have made, so that lists do not grow. */
export async function sweep(world: World): Promise<void> {
  const list = await rest(world, { method: 'GET', path: '/endpoints?limit=1000&search=fuzz' });
  for (const { name } of list.body.results as readonly { readonly name: string }[]) {
    if (name.startsWith('fuzz')) {
      await rest(world, { method: 'DELETE', path: `/endpoints/${name}` });
    }
  }
}
