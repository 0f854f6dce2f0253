/** Bodies of the REST operations: every kind of JSON, and what is none. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { operations } from '../../../src/rest/operations/all.ts';
import type { HeaderPair } from '../support/exchange.ts';
import { family } from '../support/family.ts';
import { endpointMembers, hostileMember, runMembers } from '../support/refused-members.ts';
import {
  damage,
  deepJson,
  inheritedName,
  jsonFragment,
  objectText,
  wideJson,
} from '../support/texts.ts';
import { bearer, json } from '../support/world.ts';

interface Row {
  readonly method: string;
  readonly path: string;
  readonly members: readonly string[];
  readonly base: readonly (readonly [string, string])[];
}

/** What a body needs before its other members are looked at. */
const bases: Readonly<Record<string, Row['base']>> = {
  create: [
    ['name', '"fuzz"'],
    ['query', '"SELECT 1 AS one"'],
  ],
};

/** Endpoints that a row is aimed at, where `plain` will not do. */
const aims: Readonly<Record<string, readonly string[]>> = {
  update: ['victim'],
  delete: ['nobody'],
  run_post: ['plain', 'victim', 'filtered', 'constructor'],
};

/** Every row of the service, whichever there are; those that take no body are sent one all the same. */
const rows: readonly Row[] = operations.flatMap(({ id, method, path, body }) =>
  (aims[id] ?? ['plain']).flatMap((name) => {
    const row = {
      path: path.replace(':name', name),
      members: Object.keys(body ?? { version: 1 }),
      base: bases[id] ?? [],
    };
    return (method === 'PATCH' ? ['PATCH', 'PUT'] : [method]).map((by) => ({ ...row, method: by }));
  }),
);
const withBody = rows.filter(({ method }) => method !== 'GET' && method !== 'DELETE');

const prefix = fc.constantFrom('projects', 'environments');

interface Input {
  readonly row: Row;
  readonly prefix: string;
  readonly body: Buffer;
  readonly headers: readonly HeaderPair[];
}

function member(row: Row): fc.Arbitrary<readonly [string, string]> {
  const known = row.members.length === 0 ? inheritedName : fc.constantFrom(...row.members);
  const hostile = hostileMember(row.path.endsWith('run') ? runMembers : endpointMembers);
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(known, jsonFragment) },
    {
      weight: 2,
      arbitrary: hostile.map(({ member: name, value }) => [name, textOf(value)] as const),
    },
    fc.tuple(inheritedName, jsonFragment),
    fc.tuple(fc.string({ unit: 'binary', maxLength: 10 }), jsonFragment),
    fc.tuple(known, deepJson),
  );
}

/** Long texts are a kind of input of their own. */
const textOf = (value: unknown) => (JSON.stringify(value) ?? 'null').slice(0, 600_000);

function bodyText(row: Row): fc.Arbitrary<string> {
  const members = fc.array(member(row), { maxLength: 4 });
  return fc.oneof(
    { weight: 8, arbitrary: members.map((more) => objectText([...row.base, ...more])) },
    { weight: 2, arbitrary: jsonFragment },
    { weight: 1, arbitrary: deepJson },
  );
}

/** Headers that declare the encoding of the body, often wrongly. */
const coding: fc.Arbitrary<{
  readonly headers: readonly HeaderPair[];
  code(body: Buffer): Buffer;
}> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ headers: [json], code: (body: Buffer) => body }) },
  fc
    .constantFrom('gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'identity', 'gzip, gzip', 'x')
    .map((name) => ({
      headers: [json, ['Content-Encoding', name] as const],
      code: (body: Buffer) => (name.includes('gzip') ? gzipSync(body) : body),
    })),
  fc
    .constantFrom('text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '')
    .map((type) => ({
      headers: [['Content-Type', type] as const],
      code: (body: Buffer) => body,
    })),
  fc.constant({ headers: [], code: (body: Buffer) => body }),
);

function inputOf(row: Row): fc.Arbitrary<Input> {
  return fc
    .tuple(prefix, bodyText(row), damage, coding)
    .map(([under, text, hurt, { headers, code }]) => ({
      row,
      prefix: under,
      headers,
      body: code(hurt(Buffer.from(text))),
    }));
}

export const bodies = family(
  'bodies',
  () => fc.constantFrom(...rows).chain(inputOf),
  async (world, { row, prefix: under, body, headers }) => {
    await world.ask({
      method: row.method,
      target: `/api/${under}/${world.own.projectId}${row.path}`,
      headers: [bearer(world.own.writeKey), ...headers],
      body,
    });
  },
);

/** Few, since each is large. */
export const largeBodies = family(
  'large bodies',
  () =>
    fc.tuple(
      fc.constantFrom(...withBody),
      fc.constantFrom<string | null>(null, 'name', 'query', 'variables', 'names', 'search'),
      fc.oneof(wideJson, deepJson),
    ),
  async (world, [row, name, text]) => {
    await world.ask({
      method: row.method,
      target: `/api/projects/${world.own.projectId}${row.path}`,
      headers: [bearer(world.own.writeKey), json],
      body: Buffer.from(name === null ? text : objectText([...row.base, [name, text]])),
    });
  },
);
