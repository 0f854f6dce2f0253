/** A run in a format other than JSON, which GraphQL cannot carry: uses the endpoint's own URL, as documented. */
import { ApiError } from '../api/client.ts';
import { toJson } from '../api/exact-json.ts';
import { sendWithKey } from '../api/send-with-key.ts';

export interface Download {
  readonly projectId: string;
  readonly name: string;
  readonly version: number | null;
  readonly limit: number;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Empty for the query's own order. */
  readonly orderBy: readonly string[];
}

export const downloadFormats: Readonly<
  Record<string, { readonly label: string; readonly extension: string }>
> = {
  csv: { label: 'CSV', extension: 'csv' },
  json: { label: 'JSON', extension: 'json' },
  ndjson: { label: 'NDJSON', extension: 'ndjson' },
  parquet: { label: 'Parquet', extension: 'parquet' },
  arrow: { label: 'Arrow', extension: 'arrow' },
};

export interface DownloadCall {
  readonly format: string;
  /** The run's client query id. */
  readonly id: string;
  readonly signal: AbortSignal;
  /** Called with the total of bytes that have arrived. */
  readonly onBytes: (bytes: number) => void;
}

/** Saves the rows as a file. Throws `ApiError`, or the signal's reason. */
export async function download(run: Download, call: DownloadCall): Promise<void> {
  const { format, id, signal, onBytes } = call;
  const { projectId, name, version, limit, variables, orderBy } = run;
  const path = `/api/projects/${encodeURIComponent(projectId)}/endpoints/${name}/run?format=${format}`;
  const body = toJson({
    variables,
    limit,
    client_query_id: id,
    ...(version === null ? {} : { version }),
    ...(orderBy.length === 0 ? {} : { order_by: orderBy }),
  });
  const response = await sendWithKey(
    (key) =>
      fetch(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
        signal,
      }),
    ({ status }) => status === 401,
  );
  if (!response.ok) throw await refusal(response);
  save(
    await readBody(response, onBytes),
    `${name}.${downloadFormats[format]?.extension ?? format}`,
  );
}

async function readBody(response: Response, onBytes: (bytes: number) => void): Promise<Blob> {
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      onBytes(bytes);
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(counter) ?? null).blob();
}

async function refusal(response: Response): Promise<ApiError> {
  const problem = (await response.json()) as { readonly detail?: string; readonly code?: string };
  return new ApiError(problem.detail ?? `Status ${response.status}`, problem.code ?? 'error', null);
}

function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
