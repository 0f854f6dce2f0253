import { builder } from '../builder.ts';

export const RowForm = builder.enumType('RowForm', {
  description: 'Representation of rows: arrays in column order, or objects keyed by column name.',
  values: {
    ARRAYS: { value: 'arrays', description: 'Each row is an array of values in column order.' },
    OBJECTS: { value: 'objects', description: 'Each row is an object keyed by column name.' },
  } as const,
});
