/** A project that is bound to databases which exist, as opposed to one with a database of its own. Pure. */
import { invalidInput } from '../errors/service-error.ts';

/** A user of the engine whom somebody else administers. */
export interface EngineUser {
  readonly user: string;
  readonly password: string;
  /** Passwords before this one, the newest first: the engine wants one of them until an administrator has changed it there. */
  readonly former?: readonly string[];
}

const MAX_FORMER = 3;

export function withPassword(
  { user, password: last, former = [] }: EngineUser,
  password: string,
): EngineUser {
  return { user, password, former: [last, ...former].slice(0, MAX_FORMER) };
}

/** What may be shown of a binding. */
export interface BindingPlace {
  /** In the order in which the name of a table is looked up. */
  readonly databases: readonly string[];
  /** Where its stored tables are; null: nothing can be materialized. */
  readonly stored: string | null;
  /** Names of dictionaries as queries write them, as `sales.countries`. */
  readonly dictionaries: readonly string[];
}

export interface ProjectBinding extends BindingPlace {
  /** Scheme, host, port and path of the server; no credentials. */
  readonly url: string;
  /** Of everything but materialization. */
  readonly reader: EngineUser;
  /** Makes, fills and drops stored tables; null: nothing can be materialized. */
  readonly writer: EngineUser | null;
}

/** A name that is the same quoted and unquoted in whatever the engine writes, but for a hyphen. */
const NAME = /^[A-Za-z_][\w-]{0,127}$/;
const engineOwn: ReadonlySet<string> = new Set([
  'system',
  'information_schema',
  '_temporary_and_external_tables',
]);
const MAX_DATABASES = 32;
const MAX_DICTIONARIES = 200;

/** @throws ServiceError `invalid_input` with the name of the member. */
export function parsePlace(given: BindingPlace): BindingPlace {
  const { databases, stored, dictionaries } = given;
  if (databases.length === 0 || databases.length > MAX_DATABASES) {
    throw invalidInput('databases', `A project is bound to 1 to ${MAX_DATABASES} databases.`);
  }
  for (const name of databases) requireDatabase(name, 'databases');
  if (new Set(databases).size < databases.length)
    throw invalidInput('databases', 'Each database is named once.');
  if (stored !== null) requireDatabase(stored, 'stored');
  if (stored !== null && databases.includes(stored)) {
    throw invalidInput(
      'stored',
      `Stored tables are in a database of their own, which queries do not name: ${stored} is one that they read.`,
    );
  }
  if (dictionaries.length > MAX_DICTIONARIES)
    throw invalidInput('dictionaries', `There are at most ${MAX_DICTIONARIES} dictionaries.`);
  for (const name of dictionaries) {
    const parts = name.split('.');
    if (parts.length === 2 && parts.every((part) => NAME.test(part))) continue;
    throw invalidInput(
      'dictionaries',
      `A dictionary is named with its database, as queries write it: sales.countries; "${shown(name)}" is no such name. One of the server’s configuration has no database and cannot be bound.`,
    );
  }
  return given;
}

function requireDatabase(name: string, attr: string): void {
  if (engineOwn.has(name.toLowerCase()))
    throw invalidInput(attr, `A project cannot be bound to ${name}: it is the engine’s own.`);
  if (/^project_\d+$/.test(name))
    throw invalidInput(
      attr,
      `A project cannot be bound to ${name}, which is the own database of one.`,
    );
  if (NAME.test(name)) return;
  throw invalidInput(
    attr,
    `The name of a database has 1 to 128 letters, digits, underscores and hyphens and begins with a letter or an underscore; "${shown(name)}" is no such name.`,
  );
}

function shown(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}
