/** Methods, paths and query strings: what a request line can hold. */
import fc from 'fast-check';
import { operations } from '../../../src/rest/operations/all.ts';
import { family } from '../support/family.ts';
import { inheritedName, jsonFragment } from '../support/texts.ts';
import { bearer, json, noBody, type World } from '../support/world.ts';

const methods = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'PURGE',
  'LOCK',
  'SEARCH',
  'M-SEARCH',
  'QUERY',
  'SUBSCRIBE',
  'LINK',
  'BIND',
  'REPORT',
  'SOURCE',
] as const;

const pages = [
  '/',
  '/healthz',
  '/readyz',
  '/metrics',
  '/api/docs',
  '/api/docs/',
  '/api/docs/../openapi.json',
  '/api/openapi.json',
  '/graphql',
  '/graphql/',
  '/graphql/stream',
  '/project/1/endpoints/plain',
  '/api',
  '/api/',
  '/favicon.ico',
  '/constructor',
  '/__proto__',
  '*',
] as const;

const segments = [
  'endpoints',
  'run',
  'versions',
  'openapi.json',
  'materialization_status',
  'last_execution_times',
  'plain',
  'victim',
  'constructor',
  'Plain',
  '@current',
  '%40current',
  '',
  '.',
  '..',
  '%2e',
  '%2e%2e',
  '%252e%252e',
  '%2f',
  '%5c',
  '%00',
  '%',
  '%z',
  '%c0%af',
  '%ff',
  '%ed%a0%80',
  '%e2%80%ae',
  'plain;v=1',
  'plain%20',
  'plain%0d%0aX-Injected:1',
  'plain%3fversion=1',
  'plain%23',
  '-1',
  '0',
  '1e3',
  '0x1',
  '99999999999999999999',
  '%F0%9F%98%80',
  'x'.repeat(3000),
  '%41'.repeat(1000),
  '%70%6c%61%69%6e',
  '~',
  'a+b',
  '{a}',
  '"',
  '\\',
  '|',
  '<>',
] as const;

const segment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...segments) },
  inheritedName,
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => encode(text)),
);

/** encodeURIComponent takes no half surrogates; a hostile caller would send some bytes for them. */
const encode = (text: string) => encodeURIComponent(text.toWellFormed());

function path(world: World): fc.Arbitrary<string> {
  const id = fc.oneof(
    { weight: 5, arbitrary: fc.constant(String(world.own.projectId)) },
    fc.constantFrom('@current', '%40current', String(world.other.projectId), '0', '', '%31', '01'),
    segment,
  );
  const prefix = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('/api/projects/', '/api/environments/') },
    fc.constantFrom('/api//projects/', '//api/projects/', '/API/projects/', '/api/projects;x/'),
    fc.constantFrom(
      '/api/%70rojects/',
      '/./api/projects/',
      '/x/../api/projects/',
      '/api\\projects/',
    ),
  );
  const rest = fc.array(segment, { maxLength: 4 }).map((all) => all.join('/'));
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(prefix, id, rest)
        .map(([start, project, end]) => `${start}${project}/endpoints/${end}`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(prefix, id, rest)
        .map(([start, project, end]) => `${start}${project}/${end}`),
    },
    { weight: 2, arbitrary: fc.constantFrom(...pages) },
    fc.constantFrom(...pages).chain((page) => rest.map((end) => `${page}/${end}`)),
  );
}

const parameterNames = [
  'limit',
  'offset',
  'version',
  'refresh',
  'debug',
  'integers',
  'client_query_id',
  'search',
  'is_active',
  'created_by',
  'variables',
  'variables[a]',
  'variables[a][b]',
  'variables[]',
  'variables[',
  'variables[__proto__]',
  'variables[toString]',
  'variables%5Ba%5D',
  'query',
  'operationName',
  'extensions',
  '',
] as const;

/** With those of every row, whichever there are. */
const allParameterNames = [
  ...new Set([...parameterNames, ...operations.flatMap(({ query }) => Object.keys(query))]),
];

const parameterValue = fc.oneof(
  { weight: 2, arbitrary: jsonFragment.map((text) => encode(text.slice(0, 2000))) },
  fc.constantFrom('', '1', '-1', '1.5', '1e3', '9'.repeat(400), '%', '%zz', '%ff', '%00', '+', '&'),
  fc.constantFrom('csv', 'ndjson', 'arrow', 'parquet', 'force', 'direct', 'true', '60'),
  fc.constantFrom('{__typename}', encode('mutation{deleteEndpoint(projectId:1,name:"plain")}')),
  fc.string({ unit: 'binary', maxLength: 12 }).map(encode),
);

/** Repeated names, nested brackets, bad codings, far too many. */
export const queryString: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...allParameterNames), inheritedName), parameterValue), {
    maxLength: 5,
  })
  .chain((pairs) => {
    const text = pairs.map(([name, value]) => `${name}=${value}`).join('&');
    return fc.constantFrom(
      ...(pairs.length === 0 ? [''] : [`?${text}`]),
      `?${text}&`,
      `?${text.replaceAll('=', '')}`,
      `?${'a=1&'.repeat(2000)}${text}`,
      `?${'limit=1&'.repeat(2)}${text}`,
    );
  });

/** Anything that a request line can hold, by any method. */
export const targets = family(
  'paths and methods',
  (world) =>
    fc.record({
      method: fc.oneof({ weight: 3, arbitrary: fc.constant('GET') }, fc.constantFrom(...methods)),
      target: fc.tuple(path(world), queryString).map(([at, search]) => at + search),
      hasKey: fc.boolean(),
      body: fc.constantFrom('', '', '{}', '{"query":"{__typename}"}', '{"names":[]}'),
    }),
  async (world, { method, target, hasKey, body }) => {
    const isBystander = /bystander/.test(decodeURIComponentSafely(target));
    if (isBystander) return;
    await world.ask({
      method,
      target,
      headers: [...(hasKey ? [bearer(world.own.readKey)] : []), ...(body === '' ? [] : [json])],
      body: body === '' ? noBody : Buffer.from(body),
    });
  },
);

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Every row of the service but those that only write. */
const readRows = operations
  .filter(({ scope }) => scope === 'endpoint:read')
  .flatMap(({ method, path }) =>
    ['plain', 'victim', 'constructor', 'filtered'].map((name) => ({
      method,
      path: path.replace(':name', name),
    })),
  );

export const queryStrings = family(
  'query strings',
  () =>
    fc.record({
      row: fc.constantFrom(...readRows),
      prefix: fc.constantFrom('projects', 'environments'),
      search: queryString,
      hasBody: fc.boolean(),
    }),
  async (world, { row, prefix, search, hasBody }) => {
    await world.ask({
      method: row.method,
      target: `/api/${prefix}/${world.own.projectId}${row.path}${search}`,
      headers: [bearer(world.own.readKey), ...(hasBody ? [json] : [])],
      body: hasBody ? Buffer.from('{}') : noBody,
    });
  },
);
