/** What is published, and what a follower was told of it. */

/** The rows of the publish of that number: one holds the number, the others come, go and change with it. */
export function rowsOf(publish: number): readonly (readonly number[])[] {
  const keys = Array.from({ length: 12 }, (_, at) => at + 1);
  const others = keys
    .filter((key) => (publish + key) % 3 !== 0)
    .map((key) => [key, Math.floor((publish + key) / 4)]);
  return [[0, publish], ...others];
}

export function csvOf(publish: number): string {
  return `k,v\n${rowsOf(publish)
    .map((row) => `${row.join()}\n`)
    .join('')}`;
}

/** Checks the contents that one follower is told, over all its connections, each of which says where the one before it ended. */
export class Witness {
  readonly name: string;
  readonly problems: string[] = [];
  newest = -1;
  contents = 0;
  connections = 0;

  constructor(name: string) {
    this.name = name;
  }

  connected(): void {
    this.connections += 1;
  }

  take(rows: readonly (readonly unknown[])[]): void {
    const publish = Number(rows[0]?.[1]);
    this.contents += 1;
    if (JSON.stringify(rows) !== JSON.stringify(rowsOf(publish)))
      this.#report(`told ${JSON.stringify(rows)}, which was never published`);
    if (publish < this.newest) this.#report(`told ${publish} after ${this.newest}`);
    if (publish === this.newest) this.#report(`told ${publish} twice in a row`);
    this.newest = Math.max(this.newest, publish);
  }

  /** The code of an error that it was told, or the status of a response that is no stream. */
  refused(code: string): void {
    if (!passing.has(code)) this.#report(`was refused: ${code}`);
  }

  #report(what: string): void {
    this.problems.push(`${this.name}: ${what} (connection ${this.connections})`);
  }
}

/** While a process stops. */
const passing: ReadonlySet<string> = new Set(['503', 'service_unavailable']);
