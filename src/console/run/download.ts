/** A run in another format than JSON, which GraphQL cannot carry: from the endpoint's own URL, as its documentation says. */
import { ApiError } from '../api/client.ts';
import { sendWithKey } from '../api/send-with-key.ts';

export interface Download {
  readonly projectId: string;
  readonly name: string;
  readonly version: number | null;
  readonly limit: number;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Empty: as the query has them. */
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

/** Saves the rows as a file. Throws `ApiError`. */
export async function download(run: Download, format: string): Promise<void> {
  const { projectId, name, version, limit, variables, orderBy } = run;
  const path = `/api/projects/${encodeURIComponent(projectId)}/endpoints/${name}/run?format=${format}`;
  const body = JSON.stringify({
    variables,
    limit,
    ...(version === null ? {} : { version }),
    ...(orderBy.length === 0 ? {} : { order_by: orderBy }),
  });
  const response = await sendWithKey(
    (key) =>
      fetch(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
      }),
    ({ status }) => status === 401,
  );
  if (!response.ok) throw await refusal(response);
  save(await response.blob(), `${name}.${downloadFormats[format]?.extension ?? format}`);
}

async function refusal(response: Response): Promise<ApiError> {
  const answer = (await response.json()) as { readonly detail?: string; readonly code?: string };
  return new ApiError(answer.detail ?? `Status ${response.status}`, answer.code ?? 'error', null);
}

function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
