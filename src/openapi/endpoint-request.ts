/** The inputs of one endpoint's runs, with its own variables: the POST body and the parameters. */
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

/** A version, and the form in which its document describes rows. */
export interface DocumentedRun {
  readonly documented: DocumentedVersion;
  readonly form: RowForm;
}

/**
 * Where rows are typed objects, what would change their members or the type of one is not offered: with it, what the
 * document says of the response would be wrong.
 */
const changesTypes: ReadonlySet<string> = new Set(['columns', 'integers', 'format']);

/** The POST body. Its schema is inline: in a component openapi-typescript makes a member with a default a required one. */
export function runRequestBody(run: DocumentedRun): RequestBodyObject {
  const isRequired = requiresVariables(run);
  const { variables } = run.documented;
  return {
    description: isRequired ? 'What the run asks for.' : 'What the run asks for; may be left out.',
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

/** The same under the names by which clients of the compatible API look it up. */
export function runRequestComponents(run: DocumentedRun): Readonly<Record<string, SchemaObject>> {
  const variables =
    run.documented.variables.length === 0 ? {} : { Variables: variablesSchema(run) };
  return { ...variables, EndpointRunRequest: bodySchema(run, schemaRef('Variables')) };
}

/** Of GET, without what an endpoint's own parameters are; by the name of their component. */
export function sharedParameters({ form }: { readonly form: RowForm }): Parameters {
  return {
    ...parametersOf(without(runInputs, form)),
    ...parametersOf(streamInputs),
    ...runHeaders,
    ...streamHeaders,
  };
}

type Parameters = Readonly<Record<string, ParameterObject>>;

/** Of GET: one for each variable, then those that depend on the columns. */
export function ownParameters({ documented, form }: DocumentedRun): readonly ParameterObject[] {
  return [
    ...documented.variables.map(variableParameter),
    rowsParameter(form),
    ...Object.values(parametersOf(keep(columnInputs(documented.columns, 'query'), form))),
  ];
}

/**
 * In the query string for POST, too: the body then stays optional for an endpoint that requires no variable, as clients
 * of the compatible API expect it.
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
    description: 'Values by name of variable.',
    additionalProperties: false,
  };
}

/** The inputs that every endpoint has in the same way. */
function without(inputs: Inputs, form: RowForm): Inputs {
  const own = new Set(['rows', 'columns', 'order_by']);
  const shared = Object.entries(inputs).filter(([name]) => !own.has(name));
  return keep(Object.fromEntries(shared), form);
}

function keep(inputs: Inputs, form: RowForm): Inputs {
  if (form === 'arrays') return inputs;
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !changesTypes.has(name)));
}
