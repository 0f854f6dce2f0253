import { ServiceError } from '../errors/service-error.ts';

const TABLE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,127}$/;

/** @throws ServiceError `invalid_input` for a name that no table of a project may have. */
export function requireTableName(name: string): void {
  if (TABLE_NAME.test(name)) return;
  throw new ServiceError(
    'invalid_input',
    'A table’s name begins with a letter and has letters, digits and underscores only, 128 at most.',
    { attr: 'table' },
  );
}
