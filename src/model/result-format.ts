/** The forms that the rows of a run are written in. */
export const resultFormats = ['json', 'ndjson', 'csv', 'arrow', 'parquet'] as const;
export type ResultFormat = (typeof resultFormats)[number];

/** Those whose rows go from the engine to the caller as they come. */
export type StreamFormat = Exclude<ResultFormat, 'json'>;

export const mediaTypes = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  arrow: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
} as const satisfies Record<ResultFormat, string>;

/** What an answer of the format says that it is. */
export const contentTypes = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  arrow: mediaTypes.arrow,
  parquet: mediaTypes.parquet,
} as const satisfies Record<ResultFormat, string>;
