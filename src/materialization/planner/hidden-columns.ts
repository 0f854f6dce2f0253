/** Has `*` include MATERIALIZED and ALIAS columns, also in subqueries. */
export const withHiddenColumns =
  'SETTINGS asterisk_include_materialized_columns = 1, asterisk_include_alias_columns = 1';
