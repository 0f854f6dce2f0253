/** Executes a valid document: its runs concurrently, then one response from all of them. */
import { type ExecutionResult, GraphQLError } from 'graphql';
import { takeRequest } from '../../access/rates/take-request.ts';
import type { GatewayContext } from '../context.ts';
import { RawJson } from '../raw-json.ts';
import { runInRequest } from '../run-in-request.ts';
import type { GraphDocument } from './documents.ts';
import type { GraphRequest } from './graph-request.ts';
import type { Introspect } from './introspect.ts';
import type { Planned, PlannedRoot, PlannedRun } from './plan.ts';
import { queryRunOf } from './run-input.ts';
import { variableErrors } from './variable-errors.ts';
import { type RootResult, writeResponse } from './write-response.ts';
import type { WriteBudget } from './write-run.ts';

export interface GraphExecution {
  readonly graph: GraphRequest;
  readonly read: GraphDocument;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: GatewayContext;
  readonly introspect: Introspect;
}

type Plan = Extract<Planned, { readonly kind: 'planned' }>;

/** Never throws. A failed field is null, with an error; the other fields are unaffected. */
export async function executeGraph(execution: GraphExecution): Promise<ExecutionResult> {
  const { read, operationName, variables } = execution;
  try {
    const planned = read.planner.plan(operationName, variables);
    if (planned.kind === 'refused')
      return { errors: variableErrors(planned.errors, planned.operation) };
    if (isCountedAsRequest(planned)) await countRequest(execution);
    return await executePlan(execution, planned);
  } catch (error) {
    const failure =
      error instanceof GraphQLError
        ? error
        : new GraphQLError(String(error), { originalError: error as Error });
    return { errors: [failure], data: null };
  }
}

/** Runs are counted separately. */
function isCountedAsRequest({ roots }: Plan): boolean {
  return roots.every(({ kind }) => kind !== 'run') || roots.some(isIntrospection);
}

const isIntrospection = ({ kind }: PlannedRoot): boolean => kind === 'introspection';

async function countRequest({ context, graph }: GraphExecution): Promise<void> {
  await takeRequest(context.deps, await context.principal(), String(graph.projectId));
}

async function executePlan(execution: GraphExecution, plan: Plan): Promise<ExecutionResult> {
  const { context } = execution;
  const started = plan.roots.map((root) => startRoot(execution, plan, root));
  const budget: WriteBudget = {
    bytesLeft: context.deps.config.maxResultBytes,
    signal: context.signal,
  };
  const { pieces, errors } = await writeResponse(plan.roots, started, budget);
  const data = new RawJson(pieces, context.rawResults) as unknown as Record<string, unknown>;
  return errors.length === 0 ? { data } : { errors, data };
}

/** A failure is awaited later, when its field is written. */
function startRoot(execution: GraphExecution, plan: Plan, root: PlannedRoot): Promise<RootResult> {
  const started = beginRoot(execution, plan, root);
  started.catch(() => undefined);
  return started;
}

async function beginRoot(
  execution: GraphExecution,
  plan: Plan,
  root: PlannedRoot,
): Promise<RootResult> {
  if (root.kind === 'text') return [Buffer.from(root.text)];
  if (root.kind === 'run') return startRun(execution, root, plan);
  const { graph } = execution;
  graph.hasIntrospection = true;
  const { fragments, values } = plan;
  return execution.introspect(graph.projectId, { nodes: root.nodes, fragments, values });
}

function startRun(
  { read, context, graph }: GraphExecution,
  root: PlannedRun,
  { values, roots }: Plan,
) {
  const { projectId, started } = graph;
  const field = read.fields.get(root.shape.field);
  if (field === undefined) throw new Error(`the document has no field ${root.shape.field}`);
  const { endpoint, version } = field;
  const input = queryRunOf({ ...root, version }, values);
  if (roots.length === 1) {
    graph.onlyRun = { root, endpoint, version, input };
    if (started?.shapeId === root.shape.id) return started.run;
  }
  return runInRequest(context, {
    projectId: String(projectId),
    name: endpoint.name,
    input,
    endpoint,
  });
}
