/**
 * Calls every function of the engine with a time zone and with a type that do not exist, in every place where one was ever
 * found: wherever the engine looks for the zone, the guard has to know the place.
 */
import { beforeAll, describe, expect, inject, it } from 'vitest';
import {
  typeArguments,
  zoneArguments,
  zoneOrValueArguments,
} from '../../../src/engine/clickhouse/guard/rules/arguments.ts';
import { whyNotCalled } from '../../../src/engine/clickhouse/guard/rules/functions.ts';
import { remoteConnection } from '../../../src/engine/clickhouse/http/connection.ts';
import {
  type EngineClient,
  openEngineClient,
} from '../../../src/engine/clickhouse/http/http-client.ts';

const zone = 'No/Such_Zone';
const type = "DateTime('No/Such_Type')";
/** What stands before it. */
const before: readonly (readonly string[])[] = [
  [],
  ['now()'],
  ['1'],
  ['toUInt64(1)'],
  ["'2020-01-01 00:00:00'"],
  ['generateUUIDv4()'],
  ['now()', '1'],
  ['now()', 'now()'],
  ['now()', 'toUInt64(1)'],
  ['now()', 'INTERVAL 1 DAY'],
  ['now()', "'2020-01-01 00:00:00'"],
  ['now()', "'yyyy-MM-dd z'"],
  ['toUInt64(1)', '1'],
  ['toUInt64(1)', 'toUInt64(1)'],
  ["'day'", 'now()'],
  ["'2020-01-01 00:00:00'", '1'],
  ["'2020-01-01 00:00:00'", "'2020-01-01 00:00:00'"],
  ["'2020-01-01 00:00:00'", "'yyyy-MM-dd z'"],
  ["'2020-01-01 00:00:00'", 'now()'],
  ["'day'", 'now()', 'now()'],
  ['now()', 'INTERVAL 1 DAY', 'now()'],
  ['now()', 'INTERVAL 1 DAY', 'INTERVAL 1 DAY'],
  ['2020', '1', '1', '1', '1', '1'],
  ['2020', '1', '1', '1', '1', '1', '1', '3'],
];

/** Kinds of functions that have nothing to do with times or types; all others are called. */
const withoutTimes = [
  ...['Arithmetic', 'Arrays', 'Bit', 'Bitmap', 'Distance', 'Encoding', 'Encryption', 'Financial'],
  ...['Geo', 'Geo Polygon', 'Hash', 'IP Address', 'Logical', 'Map', 'Mathematical', 'QBit'],
  ...['NumericIndexedVector', 'Random Number', 'Rounding', 'String', 'String Replacement', 'URL'],
  ...['String Search', 'String Splitting', 'Tuple'],
];

/** A function that says so takes no other arguments of that number either. */
const WRONG_NUMBER =
  /\((?:NUMBER_OF_ARGUMENTS_DOESNT_MATCH|TOO_(?:FEW|MANY)_ARGUMENTS_FOR_FUNCTION)\)/;

interface Found {
  readonly name: string;
  readonly position: number;
  readonly kind: 'zone' | 'type';
}

describe('an argument', () => {
  const { clickhouseUrl, secret } = inject('engine');
  const connection = remoteConnection(clickhouseUrl, secret);
  const found: Found[] = [];

  async function answerOf(client: EngineClient, sql: string): Promise<string> {
    try {
      const response = await client.send({ login: connection.admin, sql, timeoutMs: 20_000 });
      return response.body.toString();
    } catch (error) {
      return String(error);
    }
  }

  async function look(client: EngineClient, name: string): Promise<void> {
    const wrongNumbers = new Set<number>();
    for (const given of before) {
      const call = (last: string) =>
        answerOf(client, `SELECT ${name}(${[...given, last].join(', ')}) FORMAT Null`);
      const position = given.length;
      if (wrongNumbers.has(position)) continue;
      const answer = await call(`'${zone}'`);
      if (answer.includes(`time zone ${zone}`)) {
        found.push({ name: name.toLowerCase(), position, kind: 'zone' });
      } else if (WRONG_NUMBER.test(answer)) {
        wrongNumbers.add(position);
      } else if (
        position < 3 &&
        (await call(`'${type.replaceAll("'", "\\'")}'`)).includes('zone No/Such_Type')
      ) {
        found.push({ name: name.toLowerCase(), position, kind: 'type' });
      }
    }
  }

  beforeAll(async () => {
    const client = openEngineClient({ url: connection.url });
    const categories = withoutTimes.map((name) => `'${name}'`).join(', ');
    const rows = await answerOf(
      client,
      `SELECT name FROM system.functions WHERE NOT is_aggregate AND categories NOT IN (${categories})`,
    );
    const names = rows
      .trim()
      .split('\n')
      .filter((name) => /^\w+$/.test(name) && whyNotCalled(name) === null && !/^sleep/i.test(name));
    const queue = [...names];
    const work = async () => {
      for (let name = queue.pop(); name !== undefined; name = queue.pop()) await look(client, name);
    };
    await Promise.all([work(), work(), work()]);
    client.close();
  });

  const isKnown = ({ name, position, kind }: Found): boolean => {
    if (kind === 'type') {
      const places = typeArguments.get(name) ?? [];
      return places.includes(position) || places.includes(-1);
    }
    const places = [...(zoneArguments.get(name) ?? []), ...(zoneOrValueArguments.get(name) ?? [])];
    return places.includes(position);
  };

  it('that is a time zone or a type was found in number', () => {
    expect(found.filter(({ kind }) => kind === 'zone').length).toBeGreaterThan(200);
    expect(found.filter(({ kind }) => kind === 'type').length).toBeGreaterThan(8);
  });

  it('that the engine accepts as one is known to the guard', () => {
    expect(found.filter((place) => !isKnown(place))).toEqual([]);
  });
});
