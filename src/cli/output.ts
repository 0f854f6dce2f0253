/** Output of commands: results go to standard output, errors and logs to standard error. */

/**
 * A reader such as `head` that has gone, or a full disk, ends the output, not the command, which still has to close what
 * it opened, or the service.
 *
 * @returns waits for what was printed, then returns why results could not be written; null if they were, or if nobody
 * reads them.
 */
export function outliveReaders(): () => Promise<string | null> {
  let failure: string | null = null;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') failure ??= message;
  });
  process.stderr.on('error', () => {});
  return async () => {
    await new Promise<void>((resolve) => {
      process.stdout.write('', () => resolve());
    });
    return failure;
  };
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** For people, beside a result. */
export function printNote(text: string): void {
  process.stderr.write(`querydock: ${text}\n`);
}

/** The single object that a command prints with --json. */
export function printJson(value: Readonly<Record<string, unknown>>): void {
  print(JSON.stringify(value));
}

/**
 * Columns of text below their headings; a sentence instead when there are no rows. Control characters in a cell are
 * escaped, since they could move the cursor or begin a line.
 */
export function printTable(
  headings: readonly string[],
  given: readonly (readonly string[])[],
  none: string,
): void {
  if (given.length === 0) {
    print(none);
    return;
  }
  const rows = given.map((row) => row.map(escapeControls));
  const widths = headings.map((heading, at) =>
    Math.max(heading.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  for (const row of [headings, ...rows]) {
    print(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** A line feed → \\u000a. */
export function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** 3000000 → 3,000,000. */
export function formatCount(count: number): string {
  return grouped.format(count);
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** 13493022 → 12.9 MiB. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
