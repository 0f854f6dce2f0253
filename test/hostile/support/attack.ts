/** An attack by the text of a query, and what it comes to on each way. */

export interface SqlAttack {
  readonly family: string;
  readonly sql: string;
  /** The message to the author on saving, beside the code `invalid_query`. */
  readonly says: RegExp;
  /**
   * What the grants alone make of it, when the text goes straight to the engine as the project's reader or
   * writer: `denied`; `denied to readers` alone; `harmless` when it runs and tells nothing that is worth hiding; `tells` when it tells
   * about the engine or waits, which the guard alone stops; `residual` when it reads a file, which the guard
   * alone stops, and Landlock where the kernel has it, and only the local engine allows at all.
   */
  readonly bare: 'denied' | 'denied to readers' | 'harmless' | 'tells' | 'residual';
}

/** What no error message may show: the engine, the machine, another tenant. */
export const leak =
  /CANARY|DB::|Exception|Code: \d|\bversion \d|project_\d|\/tmp|\/proc|\/etc|node_modules|:\d{4,5}\b|root:/;

type Row = string | readonly [sql: string, bare: SqlAttack['bare'], says?: RegExp];

/** Rows that name nothing are denied by the grants alone. */
export function family(name: string, says: RegExp, rows: readonly Row[]): readonly SqlAttack[] {
  return rows.map((row) => {
    if (typeof row === 'string') return { family: name, sql: row, says, bare: 'denied' };
    const [sql, bare, ownWords = says] = row;
    return { family: name, sql, says: ownWords, bare };
  });
}
