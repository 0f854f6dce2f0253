/** The data of a response: all root fields in selection order. */
import type { GraphQLError } from 'graphql';
import type { RunResponse } from '../../runs/run-response.ts';
import { fieldError } from './graph-errors.ts';
import type { PlannedRoot } from './plan.ts';
import { type WriteBudget, writeRun } from './write-run.ts';

export interface WrittenResponse {
  /** Together one JSON object. */
  readonly pieces: readonly Buffer[];
  /** Errors of failed fields, which are null. */
  readonly errors: readonly GraphQLError[];
}

/** The result of a root field: its run, or its value as JSON in pieces. */
export type RootResult = RunResponse | readonly Buffer[];

/** @param results one for each root. Rejects when a root other than a run does. */
export async function writeResponse(
  roots: readonly PlannedRoot[],
  results: readonly Promise<RootResult>[],
  budget: WriteBudget,
): Promise<WrittenResponse> {
  const errors: GraphQLError[] = [];
  const pieces: Buffer[] = [];
  let opening = '{';
  for (const [at, root] of roots.entries()) {
    pieces.push(Buffer.from(`${opening}${JSON.stringify(root.key)}:`));
    opening = ',';
    try {
      pieces.push(...(await writeRoot(root, await results[at], budget)));
    } catch (error) {
      if (root.kind !== 'run') throw error;
      errors.push(fieldError(error, root));
      pieces.push(nullBytes);
    }
  }
  pieces.push(Buffer.from(roots.length === 0 ? '{}' : '}'));
  return { pieces, errors };
}

const nullBytes = Buffer.from('null');

async function writeRoot(
  root: PlannedRoot,
  result: RootResult | undefined,
  budget: WriteBudget,
): Promise<readonly Buffer[]> {
  if (result === undefined || 'length' in result) return result ?? [nullBytes];
  if (root.kind !== 'run') throw new Error(`${root.key} is not a run`);
  return writeRun(result, root, budget);
}
