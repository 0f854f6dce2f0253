/** Columns that the engine adds to tables. Source: ClickHouse, virtual columns of MergeTree and of files. */

const storage =
  '(?:part|partition|block|disk)(?:_\\w+)?|table|database|row_exists|sample_factor|distance';

/** Names of columns that tell where a row is stored. */
export const OF_STORAGE = new RegExp(`^_(?:${storage})$`);

/** The same of rows that come from a file, as the start of a text. */
export const OF_PLACE = new RegExp(`^_(?:${storage}|path|file|size|time|etag|tags)(?!\\w)`);
