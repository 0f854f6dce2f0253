/** Long sequences of calls through both interfaces, each compared with a model of the project's endpoints. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { type EndpointApi, graphqlApi, restApi } from './support/endpoint-interfaces.ts';
import {
  type Change,
  changeModel,
  createInModel,
  deleteFromModel,
  listModel,
  type Model,
  type Outcome,
  readModel,
  runModel,
} from './support/endpoint-model.ts';
import { settings } from './support/refused-members.ts';

interface Real {
  readonly test: TestApp;
  readonly api: Readonly<Record<'rest' | 'graphql', EndpointApi>>;
}

let real: Real;
let commandsTried = 0;

beforeAll(async () => {
  const test = await openTestApp();
  real = { test, api: { rest: restApi(test), graphql: graphqlApi(test) } };
});
afterAll(async () => {
  console.log(`stateful commands tried: ${commandsTried}`);
  await real.test.close();
});

type Command = fc.AsyncCommand<Model, Real>;

/** One call, whose outcome must be the model's. */
function command(text: string, step: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    toString: () => text,
    async run(model, given) {
      commandsTried += 1;
      await step(model, given);
    },
  };
}

const interfaces = fc.constantFrom('rest', 'graphql');
/** Names that every object has are names like others. */
const names = fc.constantFrom('a', 'constructor');
const texts = fc.constantFrom(1, 2, 3).map((n) => `SELECT ${n} AS n`);
const versions = fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined });

const changes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: texts.map((query) => ({ kind: 'query' as const, query })) },
  fc
    .constantFrom('', 'what it tells', "it's \\ \u{1f600}")
    .map((description) => ({ kind: 'description' as const, description })),
  fc.constantFrom(null, 0, 86_400).map((cacheAge) => ({ kind: 'cacheAge' as const, cacheAge })),
  {
    weight: 3,
    arbitrary: fc.boolean().map((isActive) => ({ kind: 'isActive' as const, isActive })),
  },
);

const toRows = (outcome: Outcome<string>): Outcome<unknown> =>
  'code' in outcome ? outcome : { facts: [[Number(/\d/.exec(outcome.facts)?.[0])]] };

const change: fc.Arbitrary<Command> = fc
  .tuple(interfaces, names, versions, changes)
  .map(([by, name, version, change]) =>
    command(`${by}.change(${name}, ${version}, ${JSON.stringify(change)})`, async (model, r) => {
      const target = { name, ...(version === undefined ? {} : { version }) };
      const expected = changeModel(model, target, change);
      expect(await r.api[by].change(name, version, change)).toEqual(expected);
    }),
  );

/** Changes come more often than the rest, so that what they do together is seen. */
const commands: readonly fc.Arbitrary<Command>[] = [
  fc.tuple(interfaces, names, texts).map(([by, name, query]) =>
    command(`${by}.create(${name}, ${query})`, async (model, { api, test }) => {
      test.clock.advance(1000);
      const expected = createInModel(model, name, query);
      expect(await api[by].create(name, query)).toEqual(expected);
    }),
  ),
  change,
  change,
  change,
  change,
  fc.tuple(interfaces, names).map(([by, name]) =>
    command(`${by}.remove(${name})`, async (model, { api }) => {
      const expected = deleteFromModel(model, name);
      expect(await api[by].remove(name)).toBe(expected);
    }),
  ),
  fc.tuple(interfaces, names, versions).map(([by, name, version]) =>
    command(`${by}.run(${name}, ${version})`, async (model, { api }) => {
      const expected = toRows(runModel(model, name, version));
      expect(await api[by].run(name, version)).toEqual(expected);
    }),
  ),
  fc.tuple(interfaces, names, versions).map(([by, name, version]) =>
    command(`${by}.read(${name}, ${version})`, async (model, { api }) => {
      expect(await api[by].read(name, version)).toEqual(readModel(model, name, version));
    }),
  ),
  interfaces.map((by) =>
    command(`${by}.list()`, async (model, { api }) => {
      expect(await api[by].list()).toEqual(listModel(model));
    }),
  ),
  fc.tuple(interfaces, names).map(([by, name]) =>
    command(`${by}.versions(${name})`, async (model, { api }) => {
      const all = model.get(name)?.versions;
      const rows = all?.map((v, at) => [at + 1, v.query, v.isActive] as const).reverse();
      const expected = rows === undefined ? { code: 'not_found' } : { facts: rows };
      expect(await api[by].versions(name)).toEqual(expected);
    }),
  ),
];

/** Reads and runs each version, and one that does not exist, through both interfaces. */
async function agreeInAll(model: Model): Promise<void> {
  for (const api of [real.api.rest, real.api.graphql]) {
    expect(await api.list()).toEqual(listModel(model));
    for (const [name, { versions: all }] of model) {
      const numbers = [undefined, ...Array.from({ length: all.length + 1 }, (_, at) => at + 1)];
      for (const version of numbers) {
        expect(await api.read(name, version)).toEqual(readModel(model, name, version));
        expect(await api.run(name, version)).toEqual(toRows(runModel(model, name, version)));
      }
    }
  }
}

it('endpoints agree with the model, whichever interface each call goes through', async () => {
  const property = fc.asyncProperty(
    fc.commands([...commands], { maxCommands: 40, size: 'max' }),
    async (sequence) => {
      const before = await real.api.rest.list();
      for (const name of before) await real.api.rest.remove(name);
      const model: Model = new Map();
      await fc.asyncModelRun(() => ({ model, real }), sequence);
      await agreeInAll(model);
    },
  );
  await fc.assert(property, {
    seed: settings.seed,
    numRuns: Number(process.env.STATEFUL_RUNS ?? 12),
  });
});
