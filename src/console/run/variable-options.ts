/**
 * Where a variable's selectable values come from. The author's description ends with them, as in "Airport of departure.
 * Options: airports.iata (name)": an endpoint, a value column (default the first one) and a label column. Readers who
 * do not know the syntax just see a sentence of the description. Pure.
 */

export interface OptionsSource {
  readonly endpoint: string;
  /** Null for the first column. */
  readonly column: string | null;
  /** Null when there are no labels. */
  readonly label: string | null;
}

const sentence =
  /(?:^|\s)Options: ([a-zA-Z][a-zA-Z0-9_-]{0,127})(?:\.(\w+))?(?: \((\w+)\))?\.?\s*$/;

/** The description without its options. */
export function readDescription(description: string): {
  readonly about: string;
  readonly options: OptionsSource | null;
} {
  const found = sentence.exec(description);
  if (found === null) return { about: description, options: null };
  const [, endpoint = '', column = null, label = null] = found;
  return { about: description.slice(0, found.index), options: { endpoint, column, label } };
}

export interface Option {
  /** As it would be typed. */
  readonly value: string;
  readonly label: string;
}

/** Options from a result, without duplicates. Throws an Error naming a missing column. */
export function toOptions(
  { column, label }: OptionsSource,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): readonly Option[] {
  const place = (name: string) => {
    const at = columns.indexOf(name);
    if (at === -1) throw new Error(`It has no column ${name}.`);
    return at;
  };
  const valueAt = column === null ? 0 : place(column);
  const labelAt = label === null ? null : place(label);
  const found = new Map<string, Option>();
  for (const row of rows) {
    const value = textOf(row[valueAt]);
    const words = labelAt === null ? '' : (textOf(row[labelAt]) ?? '');
    if (value !== null && !found.has(value)) found.set(value, { value, label: words });
  }
  return [...found.values()];
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Options whose value or label contains the text; values that begin with it come first. */
export function matchingOptions(options: readonly Option[], text: string): readonly Option[] {
  const wanted = text.trim().toLowerCase();
  const found = options.filter(({ value, label }) =>
    `${value}\n${label}`.toLowerCase().includes(wanted),
  );
  const begins = ({ value }: Option) => value.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((option) => !begins(option))];
}
