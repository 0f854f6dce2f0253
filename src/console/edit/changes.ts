/** What a new version changes for the endpoint's callers. Pure. */
import type { ResultColumn } from '../run/grid-model.ts';
import type { VariableShape } from '../run/variable-values.ts';

export interface Change {
  /** Whether callers may have to change something. */
  readonly breaks: boolean;
  readonly words: string;
}

export interface Interface {
  readonly columns: readonly ResultColumn[];
  readonly variables: readonly VariableShape[];
}

export function changesBetween(before: Interface, after: Interface): readonly Change[] {
  return [
    ...columnChanges(before.columns, after.columns),
    ...variableChanges(before.variables, after.variables),
  ];
}

function columnChanges(
  before: readonly ResultColumn[],
  after: readonly ResultColumn[],
): readonly Change[] {
  const old = new Map(before.map(({ name, type }) => [name, type]));
  const current = new Map(after.map(({ name, type }) => [name, type]));
  const changes: Change[] = [];
  for (const [name, type] of old) {
    const now = current.get(name);
    if (now === undefined) changes.push({ breaks: true, words: `Column ${name} was removed.` });
    else if (now !== type)
      changes.push({ breaks: true, words: `Column ${name} is ${now}, was ${type}.` });
  }
  for (const [name, type] of current)
    if (!old.has(name)) changes.push({ breaks: false, words: `Column ${name} (${type}) is new.` });
  const shared = (columns: readonly ResultColumn[], other: ReadonlyMap<string, string>) =>
    columns.flatMap(({ name }) => (other.has(name) ? [name] : [])).join('\n');
  if (shared(before, current) !== shared(after, old))
    changes.push({ breaks: true, words: 'The order of columns changed.' });
  return changes;
}

function variableChanges(
  before: readonly VariableShape[],
  after: readonly VariableShape[],
): readonly Change[] {
  const old = new Map(before.map((variable) => [variable.name, variable]));
  const current = new Map(after.map((variable) => [variable.name, variable]));
  const gone = before.filter(({ name }) => !current.has(name));
  return [
    ...gone.map(({ name }) => ({ breaks: true, words: `Variable ${name} was removed.` })),
    ...after.flatMap((variable) => variableChange(old.get(variable.name), variable)),
  ];
}

function variableChange(
  before: VariableShape | undefined,
  { name, type, required, default: value }: VariableShape,
): readonly Change[] {
  if (before === undefined) {
    const kind = required ? 'required' : 'optional';
    return [{ breaks: required, words: `Variable ${name} (${type}, ${kind}) is new.` }];
  }
  const changes: Change[] = [];
  if (before.type !== type)
    changes.push({ breaks: true, words: `Variable ${name} is ${type}, was ${before.type}.` });
  if (before.required !== required)
    changes.push({
      breaks: required,
      words: `Variable ${name} ${required ? 'is now required' : 'is now optional'}.`,
    });
  else if (JSON.stringify(before.default) !== JSON.stringify(value))
    changes.push({ breaks: false, words: `The default of variable ${name} changed.` });
  return changes;
}
