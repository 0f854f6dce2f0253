/** What to write instead, where the engine's message does not say it or names a setting, which no query can change. Pure. */

const ALIASED =
  /Aggregate function [\s\S]+ AS (`[^`]+`|\w+) is found (?:inside another aggregate function|in (PREWHERE|WHERE)\b)/;

/** Functions that go by the rows of a block, whose order and number are not fixed. */
const BY_BLOCK = /Function (\w+) is deprecated since its usage is error-prone/;
const windows: Readonly<Record<string, string>> = {
  neighbor: 'lag(x) OVER (ORDER BY …) or lead(x) OVER (ORDER BY …)',
  runningAccumulate: 'sum(x) OVER (ORDER BY …)',
  runningDifference: 'x - lag(x, 1, x) OVER (ORDER BY …)',
};

/** A sentence to append to the engine's message; empty for other messages. */
export function wayOut(message: string): string {
  const [found, name = '', clause] = ALIASED.exec(message) ?? [];
  if (found === undefined) {
    const instead = windows[BY_BLOCK.exec(message)?.[1] ?? ''];
    return instead === undefined ? '' : ` Write ${instead}.`;
  }
  const having =
    clause === undefined ? '' : '; for a condition on the aggregate, write HAVING instead';
  return ` The alias ${name} stands for the aggregate in the whole query: for a column of this name, write the name or alias of its table before it, as in t.${name}, or give the aggregate another alias${having}.`;
}

/** Without the advice to change a setting. */
export function withoutSetting(message: string): string {
  return message.replace(
    / \(see docs\)\.\s*Please use [\w ]+ or set `\w+` setting to enable it/,
    '',
  );
}
