/** Three days of measurements from 1 January 2016, as the benchmark's loader writes them, with hashes in the place of its random walks. */
import { randomBelow, randomItem } from '../random-sql.ts';
import { metrics, tags } from './tables.ts';

const start = "toDateTime('2016-01-01 00:00:00', 'UTC')";
const days = 3;

/** Scale 1 has 4,000 hosts and 103,680,000 points, one every ten seconds; below 0.001 there is one a minute. Ten hosts at least. */
export function fill(scale: number): readonly string[] {
  const hosts = Math.max(10, Math.round(4000 * scale));
  const seconds = scale < 0.001 ? 60 : 10;
  return [tagsOf(hosts), points(hosts, seconds)];
}

const values: Readonly<Record<string, readonly string[]>> = {
  region: ['us-east-1', 'us-west-2', 'eu-west-1', 'ap-southeast-2', 'sa-east-1'],
  datacenter: ['a', 'b', 'c'],
  rack: ['12', '36', '57', '84'],
  os: ['Ubuntu16.10', 'Ubuntu16.04LTS', 'Ubuntu15.10'],
  arch: ['x64', 'x86'],
  team: ['SF', 'NYC', 'LON', 'CHI'],
  service: ['0', '6', '11', '17', '19'],
  service_version: ['0', '1'],
  service_environment: ['production', 'staging', 'test'],
};

function tagsOf(hosts: number): string {
  const own = tags.map((tag) =>
    tag === 'hostname'
      ? "concat('host_', toString(number))"
      : randomItem(values[tag] ?? [], tag, 'number'),
  );
  return `INSERT INTO tags SELECT toDate(${start}), ${start}, number + 1, ${own.join(', ')} FROM numbers(${hosts})`;
}

/** Percentages with decimal places that no float has exactly. */
function points(hosts: number, seconds: number): string {
  const count = (days * 86_400) / seconds;
  const measured = metrics.map((metric) => `${randomBelow(10_001, metric, 'number')} / 100`);
  return `INSERT INTO cpu
WITH ${start} + ${seconds} * intDiv(number, ${hosts}) AS at
SELECT toDate(at, 'UTC'), at, toString(toUnixTimestamp(at) * 1000000000), number % ${hosts} + 1, ${measured.join(', ')}, ''
FROM numbers(${hosts * count})`;
}
