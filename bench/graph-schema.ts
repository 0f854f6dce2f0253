/**
 * What a generator of clients asks of a data graph: introspection and the text of the whole, from the shapes of its endpoints
 * and by graphql-js, which builds the schema anew after each change as servers with dynamic schemas do. In this process, in
 * turns, by processor time.
 */
import { executeSync, printSchema } from 'graphql';
import type { GraphShape } from '../src/data-graph/shape.ts';
import {
  type Introspection,
  openIntrospection,
} from '../src/graphql/data-graph/introspection/introspection.ts';
import { printShapes } from '../src/graphql/data-graph/introspection/schema-text.ts';
import {
  openShapeTexts,
  type ShapeTexts,
} from '../src/graphql/data-graph/introspection/shape-texts.ts';
import { schemaOf } from '../src/graphql/data-graph/shape-types.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure, type Target } from './figure.ts';
import { measureGraphMemory } from './graph-memory.ts';
import { graphShapes, withOneChanged } from './graph-shapes.ts';
import { question, questionField } from './introspection-question.ts';

const sizes = [1_000, 10_000] as const;
/** Enough for the larger one, as a service has it for all projects together. */
const textBytes = 134_217_728;

export async function measureGraphSchema(effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const size of sizes) {
    figures.push(...(await measureSize(size, effort)));
  }
  return [...figures, ...(await measureGraphMemory())];
}

/** Milliseconds of processor time of each way to answer. */
interface Turn {
  readonly library: number;
  readonly first: number;
  readonly changed: number;
  readonly kept: number;
}

interface Ways {
  readonly library: (shapes: readonly GraphShape[]) => string;
  readonly own: (
    graph: { readonly texts: ShapeTexts; readonly introspection: Introspection },
    shapes: readonly GraphShape[],
  ) => Promise<readonly Buffer[]>;
}

const introspecting: Ways = {
  library: (shapes) =>
    JSON.stringify(executeSync({ schema: schemaOf(shapes), document: question }).data),
  own: async ({ introspection }, shapes) => {
    const value = await introspection.schema(questionField, shapes);
    return [Buffer.from('{"__schema":'), ...value, Buffer.from('}')];
  },
};

const printing: Ways = {
  library: (shapes) => `${printSchema(schemaOf(shapes))}\n`,
  own: ({ texts }, shapes) => printShapes(texts, shapes),
};

async function measureSize(size: number, effort: Effort): Promise<readonly Figure[]> {
  const { rounds } = effort.of({ rounds: 5, seconds: 0 });
  const turns: { readonly asked: Turn[]; readonly printed: Turn[] } = { asked: [], printed: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const asked = await measureTurn(introspecting, size, round);
    const printed = await measureTurn(printing, size, round);
    // The first one warms up.
    if (round === 0) continue;
    turns.asked.push(asked);
    turns.printed.push(printed);
  }
  const name = `${size.toLocaleString('en')} endpoints`;
  const kept = size === 1_000 ? { atMost: 50 } : null;
  return [
    ...toFigures(`introspection of ${name}`, turns.asked, { first: 2, changed: 10, kept }),
    ...toFigures(`schema text of ${name}`, turns.printed, { first: 1, changed: 5, kept: null }),
  ];
}

async function measureTurn({ library, own }: Ways, size: number, round: number): Promise<Turn> {
  const texts = openShapeTexts(textBytes);
  const graph = { texts, introspection: openIntrospection(texts) };
  const built = graphShapes(size);
  const whole = await timed(async () => Buffer.from(library(built)));
  const shapes = graphShapes(size);
  const first = await timed(() => own(graph, shapes));
  requireSame(whole.result, first.result);
  const kept = await timed(() => own(graph, [...shapes]));
  const later = withOneChanged(shapes, round);
  const changed = await timed(() => own(graph, later));
  requireSame(Buffer.from(library(later)), changed.result);
  return { library: whole.ms, first: first.ms, changed: changed.ms, kept: kept.ms };
}

async function timed<T>(
  work: () => Promise<T>,
): Promise<{ readonly ms: number; readonly result: T }> {
  collectGarbage();
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, result };
}

/** No way is fast by being wrong. */
function requireSame(expected: Buffer, pieces: readonly Buffer[]): void {
  if (!expected.equals(Buffer.concat(pieces))) throw new Error('the two ways answer differently');
}

function toFigures(
  name: string,
  turns: readonly Turn[],
  targets: {
    /** Times as fast. */
    readonly first: number;
    readonly changed: number;
    readonly kept: Target | null;
  },
): readonly Figure[] {
  const times = 'times as fast as a rebuilt schema';
  const ms = 'ms of processor time';
  const ratios = (of: (turn: Turn) => number) => turns.map((turn) => turn.library / of(turn));
  return [
    figure(`${name}, nothing kept`, times, {
      samples: ratios(({ first }) => first),
      target: { atLeast: targets.first },
    }),
    figure(`${name}, one changed`, times, {
      samples: ratios(({ changed }) => changed),
      target: { atLeast: targets.changed },
    }),
    figure(`${name}, nothing kept`, ms, { samples: turns.map(({ first }) => first) }),
    figure(`${name}, one changed`, ms, { samples: turns.map(({ changed }) => changed) }),
    figure(`${name}, after the first`, ms, {
      samples: turns.map(({ kept }) => kept),
      ...(targets.kept === null ? {} : { target: targets.kept }),
    }),
    figure(`${name}, by a rebuilt schema`, ms, { samples: turns.map(({ library }) => library) }),
  ];
}
