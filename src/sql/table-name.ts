import { ServiceError } from '../errors/service-error.ts';

const TABLE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,127}$/;

/** @throws ServiceError `invalid_input` for a name that a project's table must not have. */
export function requireTableName(name: string): void {
  if (TABLE_NAME.test(name)) return;
  throw new ServiceError(
    'invalid_input',
    'The name of a table must be a letter, then letters, digits and underscores, at most 128 characters.',
    { attr: 'table' },
  );
}
