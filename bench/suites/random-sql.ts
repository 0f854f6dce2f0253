/** SQL for generated columns: every value is a hash of its row's key, so that a table is the same every time. */

/** An integer of 0 to `below` - 1. Expressions with the same salt and key agree. */
export function randomBelow(below: number | string, salt: string, key: string): string {
  return `toInt64(sipHash64('${salt}', ${key}) % ${below})`;
}

export function randomBetween(
  [least, greatest]: readonly [number, number],
  salt: string,
  key: string,
): string {
  return `(${least} + ${randomBelow(greatest - least + 1, salt, key)})`;
}

/** An amount of money with two decimal places; `least` and `greatest` in cents. */
export function randomMoney(cents: readonly [number, number], salt: string, key: string): string {
  return asCents(randomBetween(cents, salt, key));
}

/** `Decimal(15, 2)` of an expression that counts hundredths. */
export function asCents(expression: string): string {
  return `toDecimal64(${expression}, 2) / 100`;
}

export function randomItem(items: readonly string[], salt: string, key: string): string {
  return `${listOf(items)}[1 + ${randomBelow(items.length, salt, key)}]`;
}

export function listOf(items: readonly string[]): string {
  return `[${items.map((item) => `'${item.replaceAll("'", "\\'")}'`).join(', ')}]`;
}

/** A cut of a hash in hexadecimal, for columns whose text no query looks into. */
export function randomText(lengths: readonly [number, number], salt: string, key: string): string {
  const whole = `concat(hex(sipHash128('${salt}', ${key})), hex(sipHash128('${salt} 2', ${key})))`;
  return `lower(substring(${whole}, 1, ${randomBetween(lengths, `${salt} length`, key)}))`;
}

/** `Customer#000000017` */
export function numbered(what: string, number: string): string {
  return `concat('${what}#', leftPad(toString(${number}), 9, '0'))`;
}
