/** Our reading and writing of documents against the library's own over the whole schema. */
import fc from 'fast-check';
import { type ExecutionResult, execute, parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import type { GraphShape } from '../../../src/data-graph/shape.ts';

import { type FieldSource, openDocuments } from '../../../src/graphql/data-graph/documents.ts';
import type { PlannedRoot } from '../../../src/graphql/data-graph/plan.ts';
import { schemaOf } from '../../../src/graphql/data-graph/shape-types.ts';
import { type RootResult, writeResponse } from '../../../src/graphql/data-graph/write-response.ts';
import { contentTagOf } from '../../../src/live/content.ts';
import type { RunResponse } from '../../../src/runs/run-response.ts';
import { openRandom, randomDocument, randomRows, randomShapes } from './support/random-graph.ts';

const config = { ...readConfig({}), maxQueryAliases: 1000, maxQueryRuns: 1000 };

function catalogueOf(shapes: readonly GraphShape[]): FieldSource {
  return {
    find(_projectId, field) {
      const shape = shapes.find((one) => one.field === field);
      return shape === undefined ? null : { shape, version: null, endpoint: {} as never };
    },
    near: async () => [],
  };
}

const withoutHint = (message: string) => message.replace(/ Did you mean .*\?$/, '');

it('a part of the graph refuses the documents that the whole refuses, in the same words and places', async () => {
  const seen = { valid: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.boolean(), async (seed, hasMistakes) => {
      const random = openRandom(seed);
      const shapes = randomShapes(random);
      const text = randomDocument(random, shapes, hasMistakes);
      const wanted = validate(schemaOf(shapes), parse(text));
      const { errors } = await openDocuments(config, catalogueOf(shapes)).read(1, text);
      const shown = errors.map((error) => JSON.parse(JSON.stringify(error)) as typeof error);
      const told = (list: readonly { readonly message: string }[]) =>
        list.map((error) => ({ ...error, message: withoutHint(error.message) }));
      expect(told(shown)).toEqual(told(wanted.map((error) => error.toJSON())));
      seen[wanted.length === 0 ? 'valid' : 'refused'] += 1;
    }),
    { numRuns: 120 },
  );
  expect(seen.valid).toBeGreaterThan(15);
  expect(seen.refused).toBeGreaterThan(15);
});

/** What a run tells beside its rows; the same for each. */
const facts = {
  hasMore: true,
  isCached: false,
  servedFrom: 'inline',
  version: 1,
  executionId: 'x1',
  limit: 10,
  offset: 0,
  nextCursor: null,
  staleReason: null,
  inlineReason: null,
  materializedAt: null,
} as const;
const at = new Date('2001-01-01T00:00:00.000Z');

it('an answer is that of the library over rows as objects, byte for byte', async () => {
  let rowsSeen = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.boolean(), fc.boolean(), async (seed, yes, no) => {
      const random = openRandom(seed);
      const shapes = randomShapes(random);
      const text = randomDocument(random, shapes, false);
      const read = await openDocuments(config, catalogueOf(shapes)).read(1, text);
      if (read.errors.length > 0) return;
      const rows = new Map(shapes.map((shape) => [shape.field, randomRows(random, shape)]));
      for (const list of rows.values()) rowsSeen += list.length;
      const variables = { yes, no };
      const expected = await executeWhole(shapes, { text, variables, rows });
      const planned = read.planner.plan('Q', variables);
      if (planned.kind === 'refused') throw planned.errors[0];
      const answers = planned.roots.map((root) => answerOf(root, rows));
      const budget = { bytesLeft: 1e9, signal: undefined };
      const { pieces, errors } = await writeResponse(planned.roots, answers, budget);
      expect(errors).toEqual([]);
      expect(Buffer.concat(pieces).toString()).toBe(JSON.stringify(expected.data));
    }),
    { numRuns: 120 },
  );
  expect(rowsSeen).toBeGreaterThan(100);
});

type Rows = ReadonlyMap<string, readonly (readonly unknown[])[]>;

function executeWhole(
  shapes: readonly GraphShape[],
  given: {
    readonly text: string;
    readonly variables: Record<string, unknown>;
    readonly rows: Rows;
  },
): ExecutionResult | Promise<ExecutionResult> {
  const root = Object.fromEntries(
    shapes.map(({ field, columns }) => {
      const rows = (given.rows.get(field) ?? []).map((row) =>
        Object.fromEntries(row.map((value, index) => [columns[index]?.name, value])),
      );
      const contentId = contentTagOf(runOf(columns, given.rows.get(field) ?? []));
      const run = {
        ...facts,
        ...{ contentId, isStale: false, cacheTargetAge: at, cacheKey: null, query: null },
      };
      return [field, { ...facts, lastRefresh: at, rows, run }];
    }),
  );
  return execute({
    schema: schemaOf(shapes),
    document: parse(given.text),
    rootValue: root,
    variableValues: given.variables,
  });
}

async function answerOf(root: PlannedRoot, rows: Rows): Promise<RootResult> {
  if (root.kind === 'text') return [Buffer.from(root.text)];
  if (root.kind === 'introspection') throw new Error('these documents ask nothing of the schema');
  const { field, columns } = root.shape;
  return runOf(columns, rows.get(field) ?? []);
}

function runOf(columns: GraphShape['columns'], rows: readonly (readonly unknown[])[]): RunResponse {
  // As the engine writes them: spaces after the commas between cells.
  const lines = rows.map((row) => `[${row.map((value) => JSON.stringify(value)).join(', ')}]`);
  return {
    ...facts,
    lastRefresh: at,
    cacheTargetAge: at,
    debug: null,
    stream: null,
    rows: Buffer.from(`[${lines.join(',')}]`),
    columns: columns.map(({ source, engineType }) => ({ name: source, type: engineType })),
  } as Partial<RunResponse> as RunResponse;
}
