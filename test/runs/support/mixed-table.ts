import type { TestApp } from '../../support/test-app.ts';

/** A table `mixed` of 60 rows with columns of many types: few values each, those that are hard to sort and to write among them. */
export async function makeMixed(test: TestApp): Promise<void> {
  await test.sql(
    "CREATE TABLE mixed (id UInt64, word String, low LowCardinality(Nullable(String)), maybe Nullable(Int64), ratio Float64, price Decimal(18, 3), day Date, at DateTime64(6), kind Enum8('b' = 1, 'a' = 2), flag Bool, wide Int128, code FixedString(3), key UUID, ip IPv6, list Array(Nullable(Float64))) ENGINE = MergeTree ORDER BY id",
  );
  await test.sql(`INSERT INTO mixed SELECT number,
    [unhex('ff'), unhex('fe'), '', 'a', 'B', 'é', 'a\\0', '\\t\\n\\\\''"\`'][1 + sipHash64(number, 1) % 8],
    [NULL, '', 'x', 'y'][1 + sipHash64(number, 2) % 4],
    [NULL, -9223372036854775808, 9007199254740993, 9007199254740992, 0][1 + sipHash64(number, 3) % 5],
    [nan, inf, -inf, 0., -0., 0.1, 1e300, 5e-324, 0.30000000000000004][1 + sipHash64(number, 4) % 9],
    [toDecimal64('0.001', 3), toDecimal64('-1.5', 3), toDecimal64('10', 3)][1 + sipHash64(number, 5) % 3],
    toDate('2001-01-01') + sipHash64(number, 6) % 4,
    fromUnixTimestamp64Micro(toInt64(sipHash64(number, 7) % 5) - 2, 'UTC'),
    ['a', 'b'][1 + sipHash64(number, 8) % 2], sipHash64(number, 9) % 2,
    toInt128('170141183460469231731687303715884105720') + sipHash64(number, 10) % 3,
    substring('abé', 1, sipHash64(number, 11) % 4), toUUID(hex(sipHash128(number % 20))), toIPv6('2001:db8::' || toString(number % 20)),
    [[], [nan], [inf], [NULL], [0.], [-0.]][1 + sipHash64(number, 12) % 6] FROM numbers(60)`);
}
