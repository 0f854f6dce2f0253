import { builder } from '../builder.ts';

export const RowForm = builder.enumType('RowForm', {
  description:
    'How a row is written: as an array in the order of the columns, or as an object by their names.',
  values: {
    ARRAYS: { value: 'arrays', description: 'An array, in the order of the columns.' },
    OBJECTS: { value: 'objects', description: 'An object by column name.' },
  } as const,
});
