/** A run that waits for what another process computes is found and cancelled in its own process, like any other. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import { hasRedis } from '../support/redis.ts';
import { type Fleet, type Member, openFleet } from './support/fleet.ts';

let held: HeldEngine;
let fleet: Fleet;
let a: Member;
let b: Member;

beforeAll(async () => {
  if (!hasRedis) return;
  held = await openHeldEngine();
  fleet = await openFleet(2, { clickhouseUrl: held.clickhouseUrl });
  const [first, second] = fleet.members;
  if (first === undefined || second === undefined) throw new Error('two');
  [a, b] = [first, second];
});
afterAll(async () => {
  if (!hasRedis) return;
  await fleet.close();
  await held.close();
});

interface Found {
  readonly data: { readonly found: { readonly id: string; readonly complete: boolean } | null };
}

/** A field of an execution at the second process. */
async function ask(field: 'queryStatus' | 'cancelQuery', id: string): Promise<Found> {
  const kind = field === 'queryStatus' ? 'query' : 'mutation';
  const query = `${kind} ($id: ID!) { found: ${field}(projectId: "@current", id: $id) { id complete } }`;
  const request = new Request('http://querydock.test/graphql', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${fleet.test.project.writeKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query, variables: { id } }),
  });
  return (await (await b.app.fetch(request)).json()) as Found;
}

const get = (member: Member, name: string, id: string) =>
  member.run(name, `?client_query_id=${id}`);

/** The first process computes; the second, with two callers, waits for it. */
async function begin(name: string) {
  await fleet.save(name, { query: `SELECT '${name}' AS o, generateUUIDv4() AS made` });
  held.hold(name);
  const first = get(a, name, `${name}_a`);
  await eventually('the engine has its query', () => held.held() === 1);
  const second = get(b, name, `${name}_b`);
  await eventually('the second waits', async () => {
    return (await ask('queryStatus', `${name}_b`)).data.found !== null;
  });
  const third = get(b, name, `${name}_c`);
  await eventually('the third joins it', async () => {
    return (await ask('queryStatus', `${name}_c`)).data.found !== null;
  });
  return { first, second, third };
}

const cancelled = { status: 400, body: { code: 'query_cancelled' } };

describe.runIf(hasRedis)('a run that waits for another process', () => {
  it('is found by the id of each caller, and cancelled for one of them', async () => {
    const { first, second, third } = await begin('for_one');
    expect(await ask('cancelQuery', 'for_one_b')).toMatchObject({
      data: { found: { complete: false } },
    });
    expect(await second).toMatchObject(cancelled);
    held.release();
    const own = await first;
    expect(own.status).toBe(200);
    const other = await third;
    expect([other.status, other.body.results]).toEqual([200, own.body.results]);
    expect(await fleet.executions('for_one')).toBe(1);
    expect(await ask('queryStatus', 'for_one_c')).toMatchObject({
      data: { found: { id: own.body.execution_id, complete: true } },
    });
  });

  it('is cancelled by its own id for all of its callers, and for nobody else', async () => {
    const { first, second, third } = await begin('for_all');
    const { data } = await ask('queryStatus', 'for_all_b');
    expect((await ask('cancelQuery', data.found?.id ?? '')).data.found).not.toBeNull();
    expect([await second, await third]).toMatchObject([cancelled, cancelled]);
    held.release();
    expect((await first).status).toBe(200);
    expect(await fleet.executions('for_all')).toBe(1);
  });
});
