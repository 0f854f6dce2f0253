/** The tables that the benchmark's loader makes for ClickHouse, with the metrics of the processor alone, which its queries read. */

export const metrics = [
  'usage_user',
  'usage_system',
  'usage_idle',
  'usage_nice',
  'usage_iowait',
  'usage_irq',
  'usage_softirq',
  'usage_steal',
  'usage_guest',
  'usage_guest_nice',
] as const;

export const tags = [
  'hostname',
  'region',
  'datacenter',
  'rack',
  'os',
  'arch',
  'team',
  'service',
  'service_version',
  'service_environment',
] as const;

const partitioned = 'ENGINE = MergeTree PARTITION BY toYYYYMM(created_date)';

export const tables: readonly string[] = [
  `CREATE TABLE tags (created_date Date, created_at DateTime, id UInt32,
  ${tags.map((tag) => `${tag} Nullable(String)`).join(', ')}) ${partitioned} ORDER BY id`,
  `CREATE TABLE cpu (created_date Date, created_at DateTime, time String, tags_id UInt32,
  ${metrics.map((metric) => `${metric} Nullable(Float64)`).join(', ')},
  additional_tags String DEFAULT '') ${partitioned} ORDER BY (tags_id, created_at)`,
];
