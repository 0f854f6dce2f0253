/** The data of a response: all root fields in the order of the selection. */
import type { GraphQLError } from 'graphql';
import type { RunResponse } from '../../runs/run-response.ts';
import { fieldError } from './graph-errors.ts';
import type { PlannedRoot } from './plan.ts';
import { type WriteBudget, writeRun } from './write-run.ts';

export interface WrittenAnswer {
  /** One JSON object together. */
  readonly pieces: readonly Buffer[];
  /** Of the fields that failed, which are null. */
  readonly errors: readonly GraphQLError[];
}

/** What a root field has: its run, or its value as JSON in pieces. */
export type RootAnswer = RunResponse | readonly Buffer[];

/** @param answers one for each root. Rejects when a root other than a run does. */
export async function writeAnswer(
  roots: readonly PlannedRoot[],
  answers: readonly Promise<RootAnswer>[],
  budget: WriteBudget,
): Promise<WrittenAnswer> {
  const errors: GraphQLError[] = [];
  const pieces: Buffer[] = [];
  let opening = '{';
  for (const [at, root] of roots.entries()) {
    pieces.push(Buffer.from(`${opening}${JSON.stringify(root.key)}:`));
    opening = ',';
    try {
      pieces.push(...(await writeRoot(root, await answers[at], budget)));
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
  answer: RootAnswer | undefined,
  budget: WriteBudget,
): Promise<readonly Buffer[]> {
  if (answer === undefined || 'length' in answer) return answer ?? [nullBytes];
  if (root.kind !== 'run') throw new Error(`${root.key} is not a run`);
  return writeRun(answer, root, budget);
}
