/** The parts of one run's response, in selection order. */
import type { FieldNode } from 'graphql';
import type { RowSelection } from '../../data-graph/rows/row-selection.ts';
import type { GraphShape } from '../../data-graph/shape.ts';
import { ownValue } from '../../lib/own-value.ts';
import type { RunResponse } from '../../runs/run-response.ts';
import { collectFields, type Selecting, setsOf } from '../collect-fields.ts';
import { factWriters, runWriters } from './facts.ts';
import { rowSelectionOf } from './row-selection.ts';
import { RunFacts } from './static-types.ts';

/** A piece of a run's text; `rows` are written by their selection. */
export type RunPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fact'; readonly write: (run: RunResponse) => string }
  | { readonly kind: 'rows'; readonly selection: RowSelection };

/** For a valid document. `nodes`: the nodes of the root field. */
export function runPartsOf(
  selecting: Selecting,
  shape: GraphShape,
  nodes: readonly FieldNode[],
): readonly RunPart[] {
  const parts: RunPart[] = [];
  const fields = collectFields(selecting, setsOf(nodes));
  let opening = '{';
  for (const [key, inner] of fields) {
    parts.push({ kind: 'text', text: `${opening}${JSON.stringify(key)}:` });
    parts.push(...partsOfField(selecting, shape, inner));
    opening = ',';
  }
  parts.push({ kind: 'text', text: fields.size === 0 ? '{}' : '}' });
  return joinTexts(parts);
}

function partsOfField(
  selecting: Selecting,
  shape: GraphShape,
  nodes: readonly [FieldNode, ...FieldNode[]],
): readonly RunPart[] {
  const name = nodes[0].name.value;
  if (name === '__typename') return [{ kind: 'text', text: JSON.stringify(shape.runType) }];
  if (name === 'rows')
    return [{ kind: 'rows', selection: rowSelectionOf(selecting, shape, nodes) }];
  if (name === 'run') return partsOfFacts(selecting, nodes);
  return [{ kind: 'fact', write: writerOf(runWriters, name) }];
}

function partsOfFacts(selecting: Selecting, nodes: readonly FieldNode[]): readonly RunPart[] {
  const parts: RunPart[] = [];
  let opening = '{';
  for (const [key, [{ name }]] of collectFields(selecting, setsOf(nodes))) {
    parts.push({ kind: 'text', text: `${opening}${JSON.stringify(key)}:` });
    opening = ',';
    if (name.value === '__typename')
      parts.push({ kind: 'text', text: JSON.stringify(RunFacts.name) });
    else parts.push({ kind: 'fact', write: writerOf(factWriters, name.value) });
  }
  parts.push({ kind: 'text', text: parts.length === 0 ? '{}' : '}' });
  return parts;
}

function writerOf(writers: typeof runWriters, name: string): (run: RunResponse) => string {
  const write = ownValue(writers, name);
  if (write === undefined) throw new Error(`nothing writes the field ${name} of a run`);
  return write;
}

function joinTexts(parts: readonly RunPart[]): readonly RunPart[] {
  const joined: RunPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.kind !== 'text' || last?.kind !== 'text') joined.push(part);
    else joined[joined.length - 1] = { kind: 'text', text: last.text + part.text };
  }
  return joined;
}
