/** The tables of a project under attack: enough for what authors write of their own. */
export const ownTables: readonly string[] = [
  `CREATE TABLE sales (id UInt64, country String, amount Float64, sold_at DateTime, tags Array(String),
     raw String, attributes JSON) ENGINE = ReplacingMergeTree ORDER BY id`,
  `INSERT INTO sales SELECT number + 1, ['FR', 'DE', 'IT'][number % 3 + 1], number * 1.5,
     toDateTime('2024-01-01 00:00:00') + number * 3600, ['new', 'Sale'], '{"plan":"a","seats":3}',
     '{"plan":"a","seats":3}' FROM numbers(20)`,
  'CREATE TABLE countries (code String, name String) ENGINE = MergeTree ORDER BY code',
  "INSERT INTO countries VALUES ('FR', 'France'), ('DE', 'Germany')",
  'CREATE TABLE countries_list (code String) ENGINE = MergeTree ORDER BY code',
  `CREATE TABLE odd (\`odd name\` String, hostname String, version String, user String, file String,
     uptime UInt32, sleep UInt32, path String) ENGINE = MergeTree ORDER BY hostname`,
  "INSERT INTO odd VALUES ('a', 'web1', '2', 'u', 'x.log', 1, 2, '/x')",
  'CREATE VIEW totals AS SELECT country, sum(amount) AS total FROM sales GROUP BY country',
];
