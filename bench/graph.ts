/** The data graph: a typed field from the cache beside the same bytes, and the first use of a document among many endpoints. */
import { readConfig } from '../src/config/config.ts';
import { type FieldSource, openDocuments } from '../src/graphql/data-graph/documents.ts';
import { type AgainstRaw, againstRaw } from './against-raw.ts';
import { saveRows } from './cached-rows.ts';
import { has } from './checks.ts';
import { collectGarbage } from './collect-garbage.ts';
import { type DemoServer, withDemo } from './demo-server.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure } from './figure.ts';
import { graphShapes } from './graph-shapes.ts';
import { askOnce, type LoadCase } from './socket-load.ts';

export async function measureGraph(effort: Effort): Promise<readonly Figure[]> {
  return [...(await measureCached(effort)), ...(await measureFirstUse(effort))];
}

function measureCached(effort: Effort): Promise<readonly Figure[]> {
  return withDemo(async (demo) => {
    const small = await typedField(demo, 20);
    const large = await typedField(demo, 49_000);
    const atOnce: AgainstRaw = {
      name: 'typed field, 20 rows of 8 columns',
      target: { atLeast: 0.7 },
      load: small,
    };
    const bulk: AgainstRaw = {
      name: 'typed field, 10 MB',
      target: { atLeast: 0.6 },
      load: large,
      only: 'processor time',
    };
    return [
      ...(await againstRaw(
        demo,
        [atOnce],
        effort.of({ rounds: 9, seconds: 0.5, connections: 32 }),
      )),
      ...(await againstRaw(demo, [bulk], effort.of({ rounds: 5, seconds: 1, connections: 8 }))),
    ];
  });
}

/** A request whose response is kept. */
export async function typedField(demo: DemoServer, rows: number): Promise<LoadCase> {
  await saveRows(demo, `rows_${rows}`, rows);
  const query = `{ rows${rows} { rows { id a b c region amount at rest } hasMore isCached lastRefresh servedFrom } }`;
  const load: LoadCase = {
    url: `${demo.url}/api/projects/${demo.projectId}/graphql`,
    method: 'POST',
    headers: demo.headers,
    bodies: [JSON.stringify({ query })],
    check: has('"isCached":true', `"id":${rows - 1},"a":`),
  };
  const first = { ...load, check: has(`"id":${rows - 1},"a":`) };
  for (let request = 0; request < 3; request += 1) await askOnce(first);
  return load;
}

const sizes = [10, 1_000, 10_000] as const;
const documentsPerRound = 200;

/** In this process: read, checked and planned, without the look-ups, which are the same whatever the number. */
async function measureFirstUse(effort: Effort): Promise<readonly Figure[]> {
  const { rounds } = effort.of({ rounds: 7, seconds: 0 });
  const samples = new Map(sizes.map((size): [number, number[]] => [size, []]));
  const graphs = sizes.map((size) => ({ size, use: openUse(size) }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { size, use } of graphs) {
      collectGarbage();
      const before = process.cpuUsage();
      for (let at = 0; at < documentsPerRound; at += 1) await use(`r${round}_${at}`);
      const { user, system } = process.cpuUsage(before);
      // The first one warms up.
      if (round > 0) samples.get(size)?.push((user + system) / 1000 / documentsPerRound);
    }
  }
  const [few = [], , most = []] = sizes.map((size) => samples.get(size));
  return [
    ...sizes.map((size) =>
      figure(
        `first use of a document among ${size.toLocaleString('en')} endpoints`,
        'ms of processor time',
        {
          samples: samples.get(size) ?? [],
          target: { atMost: 20 },
        },
      ),
    ),
    figure('first use of a document among 10,000 endpoints', 'times that among 10', {
      samples: most.map((ms, at) => ms / (few[at] ?? ms)),
      target: { atMost: 1.5 },
    }),
  ];
}

/** Uses a document for the first time; `alias` makes it another one. */
function openUse(size: number): (alias: string) => Promise<void> {
  const shapes = graphShapes(size);
  const byField = new Map(shapes.map((shape) => [shape.field, shape]));
  const catalogue: FieldSource = {
    find(_projectId, field) {
      const shape = byField.get(field);
      // A shape of its own each time, so that its types are made anew.
      return shape === undefined
        ? null
        : { shape: { ...shape }, version: null, endpoint: {} as never };
    },
    near: async () => [],
  };
  const documents = openDocuments(readConfig({}), catalogue);
  const shape = shapes[Math.floor(size / 2)];
  if (shape === undefined) throw new Error('there is no shape');
  const { columns, args, field } = shape;
  const given = args
    .filter(({ isRequired }) => isRequired)
    .map(({ name }) => `${name}: "x"`)
    .join(', ');
  const list = given === '' ? '' : `${given}, `;
  const leaves = columns.filter(({ type }) => 'name' in type && !type.name.includes('_'));
  return async (alias) => {
    const text = `{ ${alias}: ${field}(${list}run: {limit: 20}) { rows { ${leaves.map(({ name }) => name).join(' ')} } hasMore isCached } }`;
    const read = await documents.read(1, text);
    const [error] = read.errors;
    if (error !== undefined) throw error;
    read.planner.plan(null, {});
  };
}
