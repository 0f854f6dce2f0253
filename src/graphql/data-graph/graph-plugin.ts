/** Replaces the library's parsing, validation and execution of documents. */
import type { Plugin } from 'graphql-yoga';
import { takeRequest } from '../../access/rates/take-request.ts';
import { asBadRequest } from '../limit-documents.ts';
import { executedBy } from '../prepare-run.ts';
import type { Documents, GraphDocument } from './documents.ts';
import { executeGraph } from './execute.ts';
import type { GraphContext } from './graph-request.ts';
import type { Introspect } from './introspect.ts';

export function graphPlugin(documents: Documents, introspect: Introspect): Plugin<GraphContext> {
  return {
    async onParams({ params, context }) {
      const { graph, gateway } = context as unknown as GraphContext;
      const { query } = params;
      // Yoga refuses anything else.
      if (typeof query !== 'string') return;
      graph.read = await documents.read(graph.projectId, query).catch((error: Error) => error);
      // It cost lookups, and no run that is counted separately follows.
      if (!(graph.read instanceof Error) && graph.read.errors.length > 0)
        await takeRequest(gateway.deps, await gateway.principal(), String(graph.projectId));
    },
    onParse({ context, setParseFn }) {
      const { read } = (context as unknown as GraphContext).graph;
      if (read !== null) setParseFn(() => readOf(context).document);
    },
    onValidate({ context, setResult }) {
      setResult([...readOf(context).errors]);
    },
    onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
      const context = args.contextValue as unknown as GraphContext;
      const executed = executedBy(args);
      const refusal = documents.refusalOfCost(executed);
      if (refusal !== null) {
        setResultAndStopExecution({ errors: [asBadRequest(refusal)] });
        return;
      }
      const { graph, gateway } = context;
      const { operationName, variables } = executed;
      const read = readOf(context);
      setExecuteFn(() =>
        executeGraph({ graph, read, operationName, variables, context: gateway, introspect }),
      );
    },
  };
}

function readOf(context: unknown): GraphDocument {
  const { read } = (context as GraphContext).graph;
  if (read === null || read instanceof Error) throw read ?? new Error('no document was read');
  return read;
}
