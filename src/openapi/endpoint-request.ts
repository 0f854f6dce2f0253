/** Inputs of one endpoint's runs, including its own variables: the POST body and the parameters. */
import type { ParameterObject, RequestBodyObject, SchemaObject } from 'openapi3-ts/oas30';
import type { RowForm } from '../model/result-format.ts';
import type { Variable } from '../query/variables.ts';
import type { DocumentedVersion } from './documented-version.ts';
import { type Inputs, membersOf, parametersOf } from './inputs.ts';
import { objectOf, schemaRef } from './json-schema.ts';
import { exampleValues, variableSchema } from './json-schema-of-variable.ts';
import { columnInputs, rowsInput } from './row-inputs.ts';
import {
  filtersInput,
  runHeaders,
  runInputs,
  streamHeaders,
  streamInputs,
} from './schemas/run-inputs.ts';
import { variableParameter } from './variable-parameter.ts';

/** A version, and the row form that its document describes. */
export interface DocumentedRun {
  readonly documented: DocumentedVersion;
  readonly form: RowForm;
}

/**
 * When rows are typed objects, inputs that change their members or types are not offered, because they would make the
 * documented response wrong.
 */
const changesTypes: ReadonlySet<string> = new Set(['columns', 'integers', 'format']);

/**
 * The POST body. Its schema is inline, because openapi-typescript makes members with a default required inside a
 * component.
 */
export function runRequestBody(run: DocumentedRun): RequestBodyObject {
  const isRequired = requiresVariables(run);
  const { variables } = run.documented;
  return {
    description: isRequired ? 'Options of the run.' : 'Options of the run; optional.',
    required: isRequired,
    content: {
      'application/json': {
        schema: bodySchema(run, variablesSchema(run)),
        example: {
          ...(variables.length === 0 ? {} : { variables: exampleValues(variables) }),
          limit: 10,
        },
      },
    },
  };
}

/** The same as components, under the names that clients of the compatible API expect. */
export function runRequestComponents(run: DocumentedRun): Readonly<Record<string, SchemaObject>> {
  const variables =
    run.documented.variables.length === 0 ? {} : { Variables: variablesSchema(run) };
  return { ...variables, EndpointRunRequest: bodySchema(run, schemaRef('Variables')) };
}

/** Parameters of GET except the endpoint's own, by component name. */
export function sharedParameters({ form }: { readonly form: RowForm }): Parameters {
  return {
    ...parametersOf(without(runInputs, form)),
    ...parametersOf(streamInputs),
    ...runHeaders,
    ...streamHeaders,
  };
}

type Parameters = Readonly<Record<string, ParameterObject>>;

/** Parameters of GET: one per variable, then those that depend on the columns. */
export function ownParameters({ documented, form }: DocumentedRun): readonly ParameterObject[] {
  return [
    ...documented.variables.map(variableParameter),
    rowsParameter(form),
    ...Object.values(parametersOf(keep(columnInputs(documented.columns, 'query'), form))),
  ];
}

/**
 * In the query string for POST too, so that the body stays optional for an endpoint without required variables, as
 * clients of the compatible API expect.
 */
export function rowsParameter(form: RowForm): ParameterObject {
  const [parameter] = Object.values(parametersOf(rowsInput(form)));
  if (parameter === undefined) throw new Error('the input rows has no parameter');
  return { ...parameter, required: form === 'objects' };
}

function requiresVariables({ documented }: DocumentedRun): boolean {
  return documented.variables.some((variable) => variable.required);
}

function bodySchema(
  run: DocumentedRun,
  variables: ReturnType<typeof variablesSchema> | ReturnType<typeof schemaRef>,
): SchemaObject {
  const { documented, form } = run;
  const inputs = {
    ...without(runInputs, form),
    ...keep(columnInputs(documented.columns, 'body'), form),
    filters_override: filtersInput,
  };
  const members = {
    ...(documented.variables.length === 0 ? {} : { variables }),
    ...membersOf(inputs),
  };
  return {
    ...objectOf(members, requiresVariables(run) ? ['variables'] : []),
    additionalProperties: false,
  };
}

function variablesSchema({ documented: { variables } }: DocumentedRun): SchemaObject {
  const required = variables.filter((variable) => variable.required).map(({ name }) => name);
  const properties = Object.fromEntries(
    variables.map((v: Variable) => [v.name, variableSchema(v)]),
  );
  return {
    ...objectOf(properties, required),
    description: 'Values by variable name.',
    additionalProperties: false,
  };
}

/** Inputs that are the same for every endpoint. */
function without(inputs: Inputs, form: RowForm): Inputs {
  const own = new Set(['rows', 'columns', 'order_by']);
  const shared = Object.entries(inputs).filter(([name]) => !own.has(name));
  return keep(Object.fromEntries(shared), form);
}

function keep(inputs: Inputs, form: RowForm): Inputs {
  if (form === 'arrays') return inputs;
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !changesTypes.has(name)));
}
