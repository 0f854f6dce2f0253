/** Runs in formats other than JSON, and what the engine itself reads out of their bytes. */
import type { StreamFormat } from '../../src/model/result-format.ts';
import type { TestApp, TestProject } from './test-app.ts';

export interface BytesResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
}

/** A request for bytes, as `rest` is one for JSON. */
export async function fetchBytes(
  test: TestApp,
  path: string,
  options: {
    readonly method?: string;
    readonly body?: object;
    readonly headers?: Readonly<Record<string, string>>;
    readonly key?: string | null;
    readonly project?: TestProject;
    readonly signal?: AbortSignal;
  } = {},
): Promise<BytesResponse> {
  const { body, headers = {}, project = test.project, key = project.writeKey } = options;
  const response = await test.app.fetch(
    new Request(`http://querydock.test/api/projects/${project.id}/endpoints/${path}`, {
      method: options.method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    }),
  );
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    text: bytes.toString('utf8'),
  };
}

export const engineFormats = {
  ndjson: 'JSONEachRow',
  csv: 'CSVWithNames',
  arrow: 'ArrowStream',
  parquet: 'Parquet',
} as const satisfies Record<StreamFormat, string>;

/** Loads the bytes into a table of the project, as a program that reads the format would. */
export async function loadBytes(
  test: TestApp,
  load: { readonly table: string; readonly format: StreamFormat; readonly bytes: Buffer },
): Promise<void> {
  const { url, admin } = test.backends.engineConnection;
  const to = new URL(url);
  to.searchParams.set('database', `project_${test.project.id}`);
  to.searchParams.set('query', `INSERT INTO ${load.table} FORMAT ${engineFormats[load.format]}`);
  const response = await fetch(to, {
    method: 'POST',
    body: new Uint8Array(load.bytes),
    headers: { 'x-clickhouse-user': admin.user, 'x-clickhouse-key': admin.password },
  });
  if (!response.ok) throw new Error(await response.text());
}

/** The columns that a reader finds in the bytes: [name, type of the engine]. */
export async function describeBytes(
  test: TestApp,
  format: StreamFormat,
  bytes: Buffer,
): Promise<readonly (readonly [string, string])[]> {
  const { url, admin } = test.backends.engineConnection;
  const to = new URL(url);
  const sql = `DESCRIBE format(${engineFormats[format]}, unhex('${bytes.toString('hex')}')) FORMAT JSONCompactEachRow SETTINGS print_pretty_type_names = 0, max_query_size = 100000000`;
  const response = await fetch(to, {
    method: 'POST',
    body: sql,
    headers: { 'x-clickhouse-user': admin.user, 'x-clickhouse-key': admin.password },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as readonly [string, string]);
}
