/** Saved variables as REST takes and returns them, under the path of existing clients. */
import type { SchemaObject } from 'openapi3-ts/oas30';
import { type Inputs, input } from '../../openapi/inputs.ts';
import { orNull, type Properties } from '../../openapi/json-schema.ts';
import { instant, text, uuid } from '../../openapi/schemas/members.ts';
import { legacyTypes } from '../../query/variable-definition.ts';
import { userSchema, userSelection } from './endpoint-fields.ts';
import { selectionOf } from './selection.ts';

const typeSchema: SchemaObject = {
  type: 'string',
  enum: [...legacyTypes],
  description: 'Its type.',
};

export const variableMembers: Properties = {
  id: uuid('Id of the variable, the key of a definition.'),
  name: text('For people.'),
  code_name: text('In query texts, as {variables.code_name}.'),
  type: typeSchema,
  default_value: { description: 'What a run without it takes; null: there is none.' },
  values: {
    type: 'array',
    nullable: true,
    items: {},
    description: 'The values that may be chosen; null: any.',
  },
  created_at: instant('When it was made.'),
  updated_at: instant('When it was last changed.'),
  created_by: userSchema,
};

export const variableSelection = selectionOf(variableMembers, {
  sources: { created_by: `createdBy ${userSelection}` },
});

const unused = { kind: 'empty', schema: null } as const;

export const variableInputs = {
  name: input({ type: 'string', minLength: 1, maxLength: 400, description: 'For people.' }),
  code_name: input(
    orNull(text('In query texts; made of the name when absent, and never changed.')),
  ),
  type: { kind: 'string', schema: typeSchema },
  default_value: { kind: 'json', schema: { description: 'Null: there is none.' } },
  values: {
    kind: 'json',
    schema: { type: 'array', nullable: true, items: {}, description: 'Null: any.' },
  },
  is_multi: unused,
  values_query: unused,
  values_query_connection_id: unused,
} as const satisfies Inputs;
