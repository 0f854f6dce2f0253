export const resultFormats = ['json', 'ndjson', 'csv', 'arrow', 'parquet'] as const;
export type ResultFormat = (typeof resultFormats)[number];

/** Formats whose rows are streamed from the engine to the caller. */
export type StreamFormat = Exclude<ResultFormat, 'json'>;

export const mediaTypes = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  arrow: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
} as const satisfies Record<ResultFormat, string>;

export const contentTypes = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  arrow: mediaTypes.arrow,
  parquet: mediaTypes.parquet,
} as const satisfies Record<ResultFormat, string>;

/** Whether compression makes a body smaller; columns of Parquet are already compressed. */
export function isCompressible(format: ResultFormat): boolean {
  return format !== 'parquet';
}

/** Rows in JSON and NDJSON: arrays in column order, or objects keyed by column name. */
export const rowForms = ['arrays', 'objects'] as const;
export type RowForm = (typeof rowForms)[number];
