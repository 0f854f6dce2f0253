/** The engine users of a project and their rights, shared by the local engine's users file and the SQL for a server. */
import { createHash, createHmac } from 'node:crypto';
import type { Config } from '../../../config/config.ts';
import type { ProjectPlace } from '../../project-place.ts';

export type ProjectRole = 'reader' | 'writer';

export function projectDatabase(projectId: number): string {
  return `project_${projectId}`;
}

/** For a project with its own database. */
export function ownPlace(projectId: number): ProjectPlace {
  const database = projectDatabase(projectId);
  return { databases: [database], stored: database, dictionaries: [], isBound: false };
}

export function projectUser(projectId: number, role: ProjectRole): string {
  return `project_${projectId}_${role}`;
}

/** The same in every process with the secret, and different for each user. */
export function derivedPassword(secret: string, user: string): string {
  return createHmac('sha256', secret).update(user).digest('hex');
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A user's setting, and how far a query of that user may change it. */
export interface UserSetting {
  readonly name: string;
  readonly value: string | number | null;
  /** `fixed` cannot change, `free` accepts anything, otherwise a closed range. */
  readonly change: 'fixed' | 'free' | { readonly min: number; readonly max: number };
}

export type UserLimits = Pick<
  Config,
  | 'queryTimeoutSeconds'
  | 'queryMemoryBytes'
  | 'maxResultBytes'
  | 'maxStreamBytes'
  | 'streamTimeoutSeconds'
  | 'maxConcurrentQueries'
>;

/** Let the engine plan short reads of stored tables faster. They do not affect results. */
export const shortReadSettings = {
  // Waking other processors takes longer than writing a short result.
  output_format_parallel_formatting: '0',
  // Stored tables have no projections; looking for them takes a tenth of the time of an aggregating read.
  optimize_use_projections: '0',
} as const;

/**
 * Keeps the engine from moving conditions out of ON. Of one that is NULL it loses the condition, and `a JOIN b ON a.k = b.k
 * AND b.x = NULL` returns the rows of all x. Without it no index finds the rows of such conditions.
 */
export const nullJoinSettings = { query_plan_split_filter: '0' } as const;

/**
 * Keeps the engine from reading the conditions of PREWHERE in several steps, after which it computes the DEFAULT of a column that
 * was added later without the columns of the first step. Conditions of WHERE are not affected, once
 * `query_plan_remove_unused_columns` is off.
 */
export const prewhereSettings = { enable_multiple_prewhere_read_steps: '0' } as const;

/** Keeps the engine from reading a LIKE backwards, which it does wrong: `LIKE '%_\\a-'` then finds `_a-`, and not `x\\a-`. */
export const likeSettings = { optimize_rewrite_like_perfect_affix: '0' } as const;

/**
 * Keeps indexes of texts from looking for a LIKE with a backslash that escapes nothing: they leave the backslash out, and
 * `LIKE 'a\\b%'` then finds no `a\\b`.
 */
export const plainLikeSettings = { use_skip_indexes: '0' } as const;

/**
 * Keeps the engine from taking what an index of type text finds for the result of a search, which is then 0 where the column
 * is NULL: `NOT hasToken(note, 'x')` finds NULLs, and so does `NOT LIKE`. Such a query takes up to 45 times as long.
 */
export const tokenSettings = { query_plan_direct_read_from_text_index: '0' } as const;

/**
 * Keeps the engine from reading only which values are NULL, and which arrays are how long. It does that for the count of a
 * window too, and then does not find what it reads: `count(paid) OVER ()` of a Nullable column fails.
 */
export const windowSettings = { optimize_functions_to_subcolumns: '0' } as const;

/** Settings that the driver sends with a query; otherwise the engine's defaults apply. */
const sentByDriver: readonly string[] = [
  'limit',
  'offset',
  'date_time_output_format',
  'output_format_json_quote_64bit_integers',
  'output_format_json_quote_decimals',
  'output_format_json_quote_denormals',
  'output_format_json_escape_forward_slashes',
  'output_format_json_named_tuples_as_objects',
  'output_format_json_validate_utf8',
  'output_format_decimal_trailing_zeros',
  'print_pretty_type_names',
  'format_csv_null_representation',
  'output_format_csv_crlf_end_of_line',
  'output_format_arrow_compression_method',
  ...Object.keys(shortReadSettings),
  ...Object.keys(nullJoinSettings),
  ...Object.keys(prewhereSettings),
  ...Object.keys(likeSettings),
  ...Object.keys(plainLikeSettings),
  ...Object.keys(tokenSettings),
  ...Object.keys(windowSettings),
  'max_bytes_before_external_group_by',
  'max_bytes_before_external_sort',
  'max_bytes_before_external_join',
  'min_external_sort_block_bytes',
  'query_plan_optimize_join_order_limit',
  'enable_scalar_subquery_optimization',
  'log_comment',
];

export function fixed(name: string, value: string | number): UserSetting {
  return { name, value, change: 'fixed' };
}

/** A query may lower it, but not to 0, which means no limit. */
function atMost(name: string, value: number): UserSetting {
  return { name, value, change: { min: 1, max: value } };
}

/**
 * Engine optimizations that are off for every query, because each changes results in some case. Most of them rewrite an
 * aggregate but not its state, so that a stored table would differ from the query: `max(x + 1)` over no rows is 1 when
 * rewritten and 0 as written, `sum(price / 100)` has other digits. `optimize_redundant_comparisons` returns rows that
 * conditions exclude: `ts != {day:Date} AND ts < now()` loses its first condition. `compile_aggregate_expressions`
 * treats a `DateTime64` before 1970 as the largest value, from the fourth run of a query on. So does `compile_expressions`
 * with others: `greatest(Int8, UInt64) + 1` over -3 and 18446744073709551615 becomes -2, and `least(x, nan) + 1` a number.
 * `query_plan_convert_outer_join_to_inner_join` treats an unmatched `Date32` of a join as NULL: `LEFT JOIN … WHERE
 * right.day = '1970-01-01'` loses rows. `optimize_use_implicit_projections` counts rows by the index alone: in a table
 * sorted by a Nullable column, `count() … WHERE n != 5` includes its NULLs. The two lengths make a set of that many
 * equalities of one expression: `day = {a:DateTime} OR …` then cuts the values to a Date, `x = 0. OR …` leaves out rows
 * with -0, and `x = nan OR …` has those with nan. `optimize_injective_functions_in_group_by` takes `toString` for
 * injective: `GROUP BY toString(at)` returns the text of an hour that clocks repeat once for each of its times.
 * `optimize_limit_by_in_order` takes it for ordered: `LIMIT 1 BY toString(at)` returns the text twice.
 * `optimize_time_filter_with_preimage` compares with the first time of the next year or month, of which there is none
 * after the last one: `toYear(day) <= 2149` leaves out the rows of 2149.
 * `optimize_rewrite_array_exists_to_has` compares otherwise: `arrayExists(x -> x = {at:DateTime}, days)` finds no day.
 * `use_top_k_dynamic_filtering` and `use_skip_indexes_for_top_k` compare floating point numbers with the last one of the rows
 * found so far, which nothing is less than, or equal to, once it is NaN: `ORDER BY x LIMIT 5` returns NaNs in place of numbers.
 * `query_plan_remove_unused_columns` drops what a DEFAULT is computed from: of a column that was added as
 * `ADD COLUMN total Int64 DEFAULT price * n`, `SELECT total … WHERE n > 1 AND shop = 'a'` returns 0 (ClickHouse issue 111757).
 * `use_statistics_for_part_pruning` compares with the least and the greatest value of a merged part, between which a NaN is not:
 * `NOT (x < 5)` leaves out the NaNs, and `toStartOfDay(day) > …` all rows of a part with a day after 2106.
 * `optimize_truncate_order_by_after_group_by_keys` sorts by the keys of groups alone, though `arrayJoin` makes several rows of
 * one: `SELECT user, arrayJoin(days) AS day … GROUP BY user ORDER BY user, day` has the days in any order.
 * `optimize_trivial_group_by_limit_query` makes about as many groups as a run returns rows, though windows, QUALIFY, DISTINCT and
 * `arrayJoin` need all of them: `SELECT shop, count() OVER () … GROUP BY shop` counts a part of the shops.
 * `enable_join_runtime_filters` compares the keys of a JOIN with = if one side has a single one, though a JOIN compares the bits of
 * floating point numbers: NaNs are then not joined, and whether -0 is joined with 0 depends on the other rows.
 * `optimize_and_compare_chain` adds the comparison that follows from two others, though it compares otherwise if their types differ:
 * `plan > code AND code > 'a'` of an Enum `plan` and a text `code` requires that `plan` comes behind 'a' by its number too.
 * `query_plan_convert_any_join_to_semi_or_anti_join` does with an ANY JOIN what the setting for an outer one does above.
 * `optimize_group_by_function_keys` leaves out a key that is computed from others, but of all GROUPING SETS at once: in
 * `((month, day), (month))` of `toStartOfMonth(day) AS month` it is then that of 1970.
 */
const optimizationsToZero = [
  'optimize_arithmetic_operations_in_aggregate_functions',
  'optimize_injective_functions_inside_uniq',
  'optimize_uniq_to_count',
  'optimize_rewrite_sum_if_to_count_if',
  'optimize_rewrite_aggregate_function_with_if',
  'optimize_syntax_fuse_functions',
  'optimize_aggregators_of_group_by_keys',
  'optimize_injective_functions_in_limit_by',
  'optimize_injective_functions_in_group_by',
  'optimize_limit_by_in_order',
  'optimize_time_filter_with_preimage',
  'optimize_rewrite_array_exists_to_has',
  'optimize_redundant_functions_in_order_by',
  'optimize_redundant_comparisons',
  'compile_aggregate_expressions',
  'compile_expressions',
  'query_plan_convert_outer_join_to_inner_join',
  'optimize_use_implicit_projections',
  'use_top_k_dynamic_filtering',
  'use_skip_indexes_for_top_k',
  'query_plan_remove_unused_columns',
  'use_statistics_for_part_pruning',
  'optimize_truncate_order_by_after_group_by_keys',
  'optimize_trivial_group_by_limit_query',
  'enable_join_runtime_filters',
  'optimize_and_compare_chain',
  'query_plan_convert_any_join_to_semi_or_anti_join',
  'optimize_group_by_function_keys',
] as const;

/** Name → the value that turns it off. */
export const harmfulOptimizations: ReadonlyMap<string, string> = new Map([
  ...optimizationsToZero.map((name) => [name, '0'] as const),
  ['optimize_min_equality_disjunction_chain_length', '18446744073709551615'],
  ['optimize_min_inequality_conjunction_chain_length', '18446744073709551615'],
]);

/** Settings of both roles: exceeding a limit is an error, never a truncated result. */
function commonSettings(limits: UserLimits): readonly UserSetting[] {
  return [
    fixed('max_concurrent_queries_for_user', limits.maxConcurrentQueries),
    fixed('max_temporary_data_on_disk_size_for_query', limits.queryMemoryBytes * 4),
    fixed('session_timezone', 'UTC'),
    fixed('implicit_select', 0),
    fixed('allow_introspection_functions', 0),
    fixed('timeout_overflow_mode', 'throw'),
    fixed('result_overflow_mode', 'throw'),
    ...[...harmfulOptimizations].map(([name, value]) => fixed(name, value)),
  ];
}

/**
 * Milliseconds that a query pauses after each block while one with a lower `priority` number runs: long enough that the
 * other gets most of the processors, short enough that this one still makes progress.
 */
const yieldMs = 5;

export function readerSettings(limits: UserLimits): readonly UserSetting[] {
  const seconds = limits.queryTimeoutSeconds;
  // A stream may take longer and be larger, which only the driver can set; a caller's query has no SETTINGS.
  const longest = Math.max(seconds, limits.streamTimeoutSeconds);
  const largest = Math.max(limits.maxResultBytes, limits.maxStreamBytes);
  return [
    fixed('readonly', 1),
    fixed('allow_ddl', 0),
    ...commonSettings(limits),
    atMost('max_memory_usage', limits.queryMemoryBytes),
    { name: 'max_execution_time', value: seconds, change: { min: 1, max: longest } },
    // Allows 0: the requests between nodes for GLOBAL IN and GLOBAL JOIN have no limit of their own, and would get the
    // minimum.
    { name: 'max_result_bytes', value: limits.maxResultBytes, change: { min: 0, max: largest } },
    { name: 'max_threads', value: null, change: { min: 1, max: 1024 } },
    // Smaller blocks for functions that check their limits between blocks only.
    { name: 'max_block_size', value: null, change: { min: 1, max: 65_536 } },
    { name: 'max_joined_block_size_rows', value: null, change: { min: 1, max: 65_536 } },
    { name: 'priority', value: null, change: { min: 1, max: 9 } },
    fixed('low_priority_query_wait_time_ms', yieldMs),
    fixed('cancel_http_readonly_queries_on_client_close', 1),
    ...sentByDriver.map((name): UserSetting => ({ name, value: null, change: 'free' })),
  ];
}

/** Seconds; a materialization may take longer than a query that a caller waits for. */
export const writerSeconds = 3600;

export function writerSettings(limits: UserLimits): readonly UserSetting[] {
  return [
    ...commonSettings(limits),
    fixed('max_memory_usage', limits.queryMemoryBytes),
    fixed('max_execution_time', writerSeconds),
    fixed('low_priority_query_wait_time_ms', yieldMs),
  ];
}

/**
 * Privileges in GRANT syntax, without the grantee. A writer creates, fills and drops tables in its own database; it
 * does not alter existing ones.
 */
export function grantsOf(projectId: number, role: ProjectRole): readonly string[] {
  const database = projectDatabase(projectId);
  if (role === 'reader') return [`SELECT ON ${database}.*`];
  return [`SELECT, INSERT, CREATE TABLE, DROP TABLE ON ${database}.*`, 'TABLE ENGINE ON MergeTree'];
}
