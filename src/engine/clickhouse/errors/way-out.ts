/** What to write instead, where the engine's message does not say it or names a setting, which no query can change. Pure. */
import { readSqlText } from '../guard/parse/sql-text.ts';

const ALIASED =
  /Aggregate function [\s\S]+ AS (`[^`]+`|\w+) is found (?:inside another aggregate function|in (PREWHERE|WHERE)\b)/;

/** Functions that go by the rows of a block, whose order and number are not fixed. */
const BY_BLOCK = /Function (\w+) is deprecated since its usage is error-prone/;
const windows: Readonly<Record<string, string>> = {
  neighbor: 'lag(x) OVER (ORDER BY …) or lead(x) OVER (ORDER BY …)',
  runningAccumulate: 'sum(x) OVER (ORDER BY …)',
  runningDifference: 'x - lag(x, 1, x) OVER (ORDER BY …)',
};

const EXPERIMENTAL = /[Ff]unction \w+ is experimental\b/;

/** A sentence to append to the engine's message; empty for other messages. */
export function wayOut(message: string): string {
  const [found, name = '', clause] = ALIASED.exec(message) ?? [];
  if (found === undefined) {
    const instead = windows[BY_BLOCK.exec(message)?.[1] ?? ''];
    if (instead !== undefined) return ` Write ${instead}.`;
    return EXPERIMENTAL.test(message) ? ' It is not available in queries.' : '';
  }
  const having =
    clause === undefined ? '' : '; for a condition on the aggregate, write HAVING instead';
  return ` The alias ${name} stands for the aggregate in the whole query: for a column of this name, write the name or alias of its table before it, as in t.${name}, or give the aggregate another alias${having}.`;
}

/** Without the advice to change a setting. */
export function withoutSetting(message: string): string {
  return message
    .replace(/ \(see docs\)\.\s*Please use [\w ]+ or set `\w+` setting to enable it/, '')
    .replace(
      /\s+Set (?:setting )?`?\w+`?(?: ?= ?\w+)?(?: setting)?(?: in order)? to (?:allow|enable) it\b\.?/,
      '',
    );
}

/** The engine's spelling of a variable: its value and its type. */
const BOUND = /_CAST\((?:'(?:[^'\\]|\\.)*'|[^'()]*), '((?:[^'\\]|\\.)*)'\)/g;

/** A variable by its name instead of its value, which its author has not written. */
export function withVariables(message: string, written: string): string {
  if (!message.includes('_CAST(')) return message;
  const { substitutions } = readSqlText(written);
  return message.replace(BOUND, (found: string, type: string) => {
    const isOfType = (given: string) => given.replace(/\s/g, '') === plainType(type);
    const names = new Set(
      substitutions.flatMap((each) => (isOfType(each.type) ? [each.name] : [])),
    );
    const [name] = names;
    if (name === undefined) return found;
    return names.size === 1 ? `{${name}}` : `{…:${type}}`;
  });
}

function plainType(type: string): string {
  return type.replace(/\\(.)/g, '$1').replace(/\s/g, '');
}
