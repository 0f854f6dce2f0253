/** The inputs of one endpoint's runs, with its own variables: the POST body and the GET parameters. */
import type { ParameterObject, RequestBodyObject, SchemaObject } from 'openapi3-ts/oas30';
import type { Variable } from '../query/variables.ts';
import { membersOf, parametersOf } from './inputs.ts';
import { objectOf } from './json-schema.ts';
import { exampleValues, variableSchema, variableTextSchema } from './json-schema-of-variable.ts';
import { filtersInput, runHeaders, runInputs } from './schemas/run-inputs.ts';

/** The schema is inline: in a component openapi-typescript makes a member with a default a required one. */
export function runRequestBody(variables: readonly Variable[]): RequestBodyObject {
  const isRequired = variables.some((variable) => variable.required);
  const members = {
    ...(variables.length === 0 ? {} : { variables: variablesSchema(variables, variableSchema) }),
    ...membersOf({ ...runInputs, filters_override: filtersInput }),
  };
  return {
    description: isRequired ? 'What the run asks for.' : 'What the run asks for; may be left out.',
    required: isRequired,
    content: {
      'application/json': {
        schema: {
          ...objectOf(members, isRequired ? ['variables'] : []),
          title: 'EndpointRunRequest',
          additionalProperties: false,
        },
        example: {
          ...(variables.length === 0 ? {} : { variables: exampleValues(variables) }),
          limit: 10,
        },
      },
    },
  };
}

/** The GET parameters; `variables` only for an endpoint that has some. */
export function runQueryParameters(variables: readonly Variable[]): ParameterObject[] {
  const shared = [...Object.values(parametersOf(runInputs)), ...Object.values(runHeaders)];
  if (variables.length === 0) return shared;
  return [
    {
      name: 'variables',
      in: 'query',
      style: 'deepObject',
      explode: true,
      required: variables.some((variable) => variable.required),
      description:
        'Values as variables[name]=value. One JSON object as variables={...} is accepted too.',
      schema: variablesSchema(variables, variableTextSchema),
    },
    ...shared,
  ];
}

function variablesSchema(
  variables: readonly Variable[],
  toSchema: (variable: Variable) => SchemaObject,
): SchemaObject {
  const required = variables.filter((variable) => variable.required).map(({ name }) => name);
  const properties = Object.fromEntries(variables.map((v) => [v.name, toSchema(v)]));
  return {
    ...objectOf(properties, required),
    description: 'Values by name of variable.',
    additionalProperties: false,
  };
}
