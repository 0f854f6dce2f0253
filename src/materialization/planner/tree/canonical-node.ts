/**
 * What the engine understood of a query, in a form that can be compared: without ids, and without the names that the
 * query gives to its expressions and tables.
 */

export interface Term {
  /** As in the tree: `COLUMN`, `FUNCTION`, `QUERY` …, or `part` for a named part of a node. */
  readonly kind: string;
  /** Of a column, a function or a part. */
  readonly name: string;
  /** What else tells it from others: a column's source, a constant's value. */
  readonly detail: string;
  /** Of its result; empty where the tree does not say. Not a part of the key: it follows from the rest. */
  readonly type: string;
  readonly args: readonly Term[];
  /** Equal for equal expressions, and only for these. */
  readonly key: string;
}

export function toTerm(fields: Omit<Term, 'key'>): Term {
  const head = JSON.stringify([fields.kind, fields.name, fields.detail]);
  return { ...fields, key: `${head}(${fields.args.map(({ key }) => key).join()})` };
}

export function partTerm(name: string, args: readonly Term[], detail = ''): Term {
  return toTerm({ kind: 'part', name, detail, type: '', args });
}

/** What stands in the named part of a term. */
export function termsOf(term: Term, part: string): readonly Term[] {
  return term.args.find(({ kind, name }) => kind === 'part' && name === part)?.args ?? [];
}

export function hasPart(term: Term, part: string): boolean {
  return term.args.some(({ kind, name }) => kind === 'part' && name === part);
}

/** With other contents of a part; without the part where there are none. */
export function withPart(term: Term, part: string, args: readonly Term[]): Term {
  const others = term.args.filter(({ kind, name }) => kind !== 'part' || name !== part);
  const parts = args.length === 0 ? others : [...others, partTerm(part, args)];
  return toTerm({ ...term, args: parts.sort((a, b) => (a.name < b.name ? -1 : 1)) });
}

/** The term and all that it is made of, each before its own. `enters` says whether to look into one. */
export function* walk(term: Term, enters: (inner: Term) => boolean = () => true): Generator<Term> {
  yield term;
  if (!enters(term)) return;
  for (const arg of term.args) yield* walk(arg, enters);
}

export function replaced(term: Term, replace: (term: Term) => Term | null): Term {
  const own = replace(term);
  if (own !== null) return own;
  const args = term.args.map((arg) => replaced(arg, replace));
  return args.every((arg, at) => arg === term.args[at]) ? term : toTerm({ ...term, args });
}
