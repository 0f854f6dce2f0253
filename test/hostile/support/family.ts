/** One kind of hostile input: how it is made and what must hold for it. */
import fc from 'fast-check';
import type { World } from './world.ts';

export interface Family {
  readonly name: string;
  /** The inputs, each with the attempt that throws when a guarantee does not hold for it. */
  readonly property: (world: World, tried: () => void) => fc.IAsyncProperty<unknown>;
}

/** How many inputs of each family were tried. */
export type Tally = Map<string, number>;

export function family<Input>(
  name: string,
  inputs: (world: World) => fc.Arbitrary<Input>,
  attempt: (world: World, input: Input) => Promise<void>,
): Family {
  return {
    name,
    property: (world, tried) =>
      fc.asyncProperty(inputs(world), async (input) => {
        tried();
        await attempt(world, input);
      }) as fc.IAsyncProperty<unknown>,
  };
}

export interface Trial {
  readonly seed: number;
  readonly numRuns: number;
}

/** @throws Error with the smallest input that breaks a guarantee, and the seed that finds it again. */
export async function tryFamily(
  world: World,
  { name, property }: Family,
  trial: Trial & { readonly tally: Tally },
): Promise<void> {
  const { tally, ...parameters } = trial;
  const tried = () => tally.set(name, (tally.get(name) ?? 0) + 1);
  const details = await fc.check(property(world, tried), parameters);
  if (!details.failed) return;
  const input = fc.stringify(details.counterexample).slice(0, 3000);
  throw new Error(`${name}, seed ${details.seed}, path ${details.counterexamplePath}: ${input}`, {
    cause: details.errorInstance,
  });
}

/** For a closing note: how many inputs, together and of each family. */
export function countsOf(tally: Tally): string {
  const total = [...tally.values()].reduce((sum, count) => sum + count, 0);
  const rows = [...tally].map(([name, count]) => `${name} ${count}`).join(', ');
  return `hostile inputs tried: ${total} (${rows})`;
}
