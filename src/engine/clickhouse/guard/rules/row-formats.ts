const named =
  /^(?:csv|(?:tsv|tabseparated)(?:raw)?|customseparated|rowbinary|json(?:compact)?(?:strings)?eachrow)(?:withnames(?:andtypes)?)?$/i;
const others =
  /^(?:json(?:compact)?(?:strings)?|json(?:compact)?(?:strings)?eachrowwithprogress|(?:pretty)?(?:ndjson|jsonlines|jsoneachrow)|jsonobjecteachrow|bsoneachrow|tskv|values|vertical|xml|markdown|md|sqlinsert|msgpack|rawblob)$/i;

/**
 * Formats that need a schema create files with it or request it from a registry, and templates are read from files; the
 * rights of the engine's users do not cover that.
 */
export function whyNotRowFormat(format: string): string | null {
  return named.test(format) || others.test(format)
    ? null
    : 'it must be one that writes rows by itself, such as JSONEachRow, JSONCompactEachRow, CSV, TSV, Values or RowBinary';
}
