/**
 * What the service's own code adds to a cached response: the same requests to it and to a bare node:http server in its
 * process, past the kernel. Whatever disturbs the machine only adds to a turn, so the quick turns are compared, and the figures hold on
 * a busy machine, too.
 */
import { openCachedRows, saveRows } from './cached-rows.ts';
import { isNotModified } from './checks.ts';
import type { DemoServer } from './demo-server.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure, percentile } from './figure.ts';
import { typedField } from './graph.ts';
import type { InProcessTask, InProcessTurns } from './in-process-control.ts';
import { askOnce, type LoadCase, requestBytes } from './socket-load.ts';
import { type MeasuringDemo, withMeasuringDemo } from './tasks.ts';

const quickPercent = 5;
const turns = 100;

interface Measured {
  readonly name: string;
  readonly load: LoadCase;
  /** Of the bare server, if it differs. */
  readonly rawResponse?: LoadCase;
}

export async function measureInProcess(effort: Effort): Promise<readonly Figure[]> {
  return withMeasuringDemo<InProcessTask, readonly InProcessTurns[], readonly Figure[]>(
    'in-process-control.ts',
    (measuring) => measureAll(measuring, effort),
  );
}

async function measureAll(
  { demo, run }: MeasuringDemo<InProcessTask, readonly InProcessTurns[]>,
  effort: Effort,
): Promise<readonly Figure[]> {
  const measured = await openLoads(demo);
  const bodies: string[] = [];
  for (const { load, rawResponse = load } of measured)
    bodies.push((await askOnce(rawResponse)).body.toString('base64'));
  const requests = measured.map(({ load }) => String(requestBytes(load)[0]));
  const found: InProcessTurns[][] = [];
  const { rounds } = effort.of({ rounds: 5, seconds: 0 });
  for (let round = 0; round < rounds; round += 1)
    found.push([...(await run({ requests, bodies, turns }))]);
  const quick = (at: number, of: keyof InProcessTurns) =>
    found.map((each) => percentile(each[at]?.[of] ?? [], quickPercent));
  return measured.flatMap(({ name }, at) => {
    const [own, raw] = [quick(at, 'own'), quick(at, 'raw')];
    return [
      figure(name, 'µs more than a bare server', {
        samples: own.map((micros, round) => micros - (raw[round] ?? micros)),
      }),
      figure(name, 'µs of a bare server', { samples: raw }),
    ];
  });
}

async function openLoads(demo: DemoServer): Promise<readonly Measured[]> {
  const { rest, graphql } = await openCachedRows(demo, 'delays_by_hour');
  const { headers } = await askOnce(rest);
  const field = await typedField(demo, 20);
  await saveRows(demo, 'rows_of_post', 20);
  const objects: LoadCase = {
    url: `${demo.endpointsUrl}/rows_of_post/run`,
    method: 'POST',
    headers: demo.headers,
    bodies: ['{"rows":"objects"}'],
    check: () => undefined,
  };
  await askOnce(objects);
  await askOnce({ ...graphql, check: () => undefined });
  const ifNoneMatch = { ...rest.headers, 'if-none-match': headers.etag ?? '' };
  return [
    { name: 'REST GET', load: rest },
    {
      name: 'REST POST',
      load: { ...rest, method: 'POST', headers: demo.headers, bodies: ['{}'] },
    },
    {
      name: 'REST GET, 304 beside a bare 200',
      load: { ...rest, headers: ifNoneMatch, check: isNotModified },
      rawResponse: rest,
    },
    { name: 'GraphQL POST', load: graphql },
    { name: 'REST POST, 20 rows of 8 columns as objects', load: objects },
    { name: 'typed field, 20 rows of 8 columns', load: field },
  ];
}
