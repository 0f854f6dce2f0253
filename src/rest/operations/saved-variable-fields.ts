/** Saved variables in REST's form, under the path of existing clients. */
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
  description: 'Type of the variable.',
};

export const variableMembers: Properties = {
  id: uuid('Id of the variable, by which query definitions refer to it.'),
  name: text('Display name.'),
  code_name: text('Name in query texts, as in {variables.code_name}.'),
  type: typeSchema,
  default_value: {
    description: 'Value for runs that do not set the variable; null if there is none.',
  },
  values: {
    type: 'array',
    nullable: true,
    items: {},
    description: 'Suggested values; null if any value is suitable. Runs may use other values.',
  },
  created_at: instant('When it was created.'),
  updated_at: instant('When it was last changed.'),
  created_by: userSchema,
};

export const variableSelection = selectionOf(variableMembers, {
  sources: { created_by: `createdBy ${userSelection}` },
});

const unused = { kind: 'empty', schema: null } as const;

export const variableInputs = {
  name: input({ type: 'string', minLength: 1, maxLength: 400, description: 'Display name.' }),
  code_name: input(
    orNull(
      text(
        'Name in query texts, as in {variables.code_name}; derived from the name if absent. Cannot be changed.',
      ),
    ),
  ),
  type: { kind: 'string', schema: typeSchema },
  default_value: {
    kind: 'json',
    schema: { description: 'Value for runs that do not set the variable; null if there is none.' },
  },
  values: {
    kind: 'json',
    schema: {
      type: 'array',
      nullable: true,
      items: {},
      description:
        'Suggested values, at most 1000; null if any value is suitable. Runs may use other values.',
    },
  },
  is_multi: unused,
  values_query: unused,
  values_query_connection_id: unused,
} as const satisfies Inputs;
