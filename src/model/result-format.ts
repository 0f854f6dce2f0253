/** The formats of a run's rows. */
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

/** The content type of a response in the format. */
export const contentTypes = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  arrow: mediaTypes.arrow,
  parquet: mediaTypes.parquet,
} as const satisfies Record<ResultFormat, string>;

/** How a row is written in JSON and NDJSON: as an array in the order of the columns, or as an object by their names. */
export const rowForms = ['arrays', 'objects'] as const;
export type RowForm = (typeof rowForms)[number];
