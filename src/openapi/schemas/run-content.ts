import type { ContentObject, ReferenceObject, SchemaObject } from 'openapi3-ts/oas30';
import { mediaTypes, type ResultFormat } from '../../model/result-format.ts';

const binary: SchemaObject = { type: 'string', format: 'binary' };
const text: SchemaObject = { type: 'string' };
const rowSchemas = {
  ndjson: text,
  csv: text,
  arrow: binary,
  parquet: binary,
} as const satisfies Record<Exclude<ResultFormat, 'json'>, SchemaObject>;

/** Media types whose body is only the rows. */
export const rowMediaTypes: readonly string[] = Object.keys(rowSchemas).map(
  (format) => mediaTypes[format as ResultFormat],
);

/** Media type of live results. */
export const eventMediaType = 'text/event-stream';

/**
 * The response of a run by media type.
 *
 * @param schema schema of its JSON.
 * @param isFollowable whether it may be an event stream.
 */
export function runContent(
  schema: SchemaObject | ReferenceObject,
  isFollowable: boolean,
): ContentObject {
  const others = Object.entries(rowSchemas).map(([format, rows]) => [
    mediaTypes[format as ResultFormat],
    { schema: rows },
  ]);
  const events = isFollowable ? { [eventMediaType]: { schema: text } } : {};
  return { [mediaTypes.json]: { schema }, ...Object.fromEntries(others), ...events };
}
