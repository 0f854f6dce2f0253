/** Long sequences of calls through both doors, in step with a model of what they mean. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { type Door, graphqlDoor, restDoor } from './support/endpoint-interfaces.ts';
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
  readonly door: Readonly<Record<'rest' | 'graphql', Door>>;
}

let real: Real;
let commandsTried = 0;

beforeAll(async () => {
  const test = await openTestApp();
  real = { test, door: { rest: restDoor(test), graphql: graphqlDoor(test) } };
});
afterAll(async () => {
  console.log(`stateful commands tried: ${commandsTried}`);
  await real.test.close();
});

type Command = fc.AsyncCommand<Model, Real>;

/** One call: what the model says of it must be what the door says. */
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

const doors = fc.constantFrom('rest', 'graphql');
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
  .tuple(doors, names, versions, changes)
  .map(([by, name, version, change]) =>
    command(`${by}.change(${name}, ${version}, ${JSON.stringify(change)})`, async (model, r) => {
      const target = { name, ...(version === undefined ? {} : { version }) };
      const expected = changeModel(model, target, change);
      expect(await r.door[by].change(name, version, change)).toEqual(expected);
    }),
  );

/** Changes come more often than the rest, so that what they do together is seen. */
const commands: readonly fc.Arbitrary<Command>[] = [
  fc.tuple(doors, names, texts).map(([by, name, query]) =>
    command(`${by}.create(${name}, ${query})`, async (model, { door, test }) => {
      test.clock.advance(1000);
      const expected = createInModel(model, name, query);
      expect(await door[by].create(name, query)).toEqual(expected);
    }),
  ),
  change,
  change,
  change,
  change,
  fc.tuple(doors, names).map(([by, name]) =>
    command(`${by}.remove(${name})`, async (model, { door }) => {
      const expected = deleteFromModel(model, name);
      expect(await door[by].remove(name)).toBe(expected);
    }),
  ),
  fc.tuple(doors, names, versions).map(([by, name, version]) =>
    command(`${by}.run(${name}, ${version})`, async (model, { door }) => {
      const expected = toRows(runModel(model, name, version));
      expect(await door[by].run(name, version)).toEqual(expected);
    }),
  ),
  fc.tuple(doors, names, versions).map(([by, name, version]) =>
    command(`${by}.read(${name}, ${version})`, async (model, { door }) => {
      expect(await door[by].read(name, version)).toEqual(readModel(model, name, version));
    }),
  ),
  doors.map((by) =>
    command(`${by}.list()`, async (model, { door }) => {
      expect(await door[by].list()).toEqual(listModel(model));
    }),
  ),
  fc.tuple(doors, names).map(([by, name]) =>
    command(`${by}.versions(${name})`, async (model, { door }) => {
      const all = model.get(name)?.versions;
      const rows = all?.map((v, at) => [at + 1, v.query, v.isActive] as const).reverse();
      const expected = rows === undefined ? { code: 'not_found' } : { facts: rows };
      expect(await door[by].versions(name)).toEqual(expected);
    }),
  ),
];

/** Everything that can be asked, of each version and of one that is not there, by both doors. */
async function agreeInAll(model: Model): Promise<void> {
  for (const door of [real.door.rest, real.door.graphql]) {
    expect(await door.list()).toEqual(listModel(model));
    for (const [name, { versions: all }] of model) {
      const numbers = [undefined, ...Array.from({ length: all.length + 1 }, (_, at) => at + 1)];
      for (const version of numbers) {
        expect(await door.read(name, version)).toEqual(readModel(model, name, version));
        expect(await door.run(name, version)).toEqual(toRows(runModel(model, name, version)));
      }
    }
  }
}

it('endpoints agree with the model, whichever interface each call goes through', async () => {
  const property = fc.asyncProperty(
    fc.commands([...commands], { maxCommands: 40, size: 'max' }),
    async (sequence) => {
      const before = await real.door.rest.list();
      for (const name of before) await real.door.rest.remove(name);
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
