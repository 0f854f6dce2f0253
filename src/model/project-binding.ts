/** A project bound to existing databases instead of having its own. Pure. */
import { invalidInput } from '../errors/service-error.ts';
import { shorten } from '../lib/shorten.ts';

/** An engine user administered by somebody else. */
export interface EngineUser {
  readonly user: string;
  readonly password: string;
  /** Previous passwords, newest first: the engine expects one of them until its administrator has changed it there. */
  readonly former?: readonly string[];
}

/** How many previous passwords of a user are retained. */
export const maxFormer = 3;

export function withPassword(
  { user, password: last, former = [] }: EngineUser,
  password: string,
): EngineUser {
  return { user, password, former: [last, ...former].slice(0, maxFormer) };
}

/** The part of a binding that may be shown. */
export interface BindingPlace {
  /** In lookup order for table names. */
  readonly databases: readonly string[];
  /** Database of its stored tables; null if nothing can be materialized. */
  readonly stored: string | null;
  /** Dictionary names as written in queries: `sales.countries`. */
  readonly dictionaries: readonly string[];
}

export interface ProjectBinding extends BindingPlace {
  /** Scheme, host, port and path of the server; no credentials. */
  readonly url: string;
  /** Used for everything except materialization. */
  readonly reader: EngineUser;
  /** Creates, fills and drops stored tables; null if nothing can be materialized. */
  readonly writer: EngineUser | null;
}

/** Names that, except for hyphens, the engine writes the same quoted and unquoted. */
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
    throw invalidInput('databases', `A project must be bound to 1 to ${MAX_DATABASES} databases.`);
  }
  for (const name of databases) requireDatabase(name, 'databases');
  if (new Set(databases).size < databases.length)
    throw invalidInput('databases', 'Each database may be given only once.');
  if (stored !== null) requireDatabase(stored, 'stored');
  if (stored !== null && databases.includes(stored)) {
    throw invalidInput(
      'stored',
      `Stored tables need a database that queries do not read, but ${stored} is one that they read.`,
    );
  }
  if (dictionaries.length > MAX_DICTIONARIES)
    throw invalidInput('dictionaries', `At most ${MAX_DICTIONARIES} dictionaries can be bound.`);
  for (const name of dictionaries) {
    const parts = name.split('.');
    if (parts.length === 2 && parts.every((part) => NAME.test(part))) continue;
    throw invalidInput(
      'dictionaries',
      `"${shorten(name, 60)}" is not the name of a dictionary with its database, as in sales.countries. Dictionaries from the server configuration have no database and cannot be bound.`,
    );
  }
  return given;
}

function requireDatabase(name: string, attr: string): void {
  if (engineOwn.has(name.toLowerCase()))
    throw invalidInput(
      attr,
      `A project cannot be bound to ${name}: it is a system database of the engine.`,
    );
  if (/^project_\d+$/.test(name))
    throw invalidInput(
      attr,
      `A project cannot be bound to ${name}: it is the managed database of a project.`,
    );
  if (NAME.test(name)) return;
  throw invalidInput(
    attr,
    `"${shorten(name, 60)}" is not the name of a database: it must have 1 to 128 letters, digits, underscores and hyphens and start with a letter or an underscore.`,
  );
}
