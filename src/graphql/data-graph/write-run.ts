/** Writes the bytes that a document selects of a run. */
import { type CompiledRows, compileRows } from '../../data-graph/rows/compile-rows.ts';
import { type ColumnMisfit, fitColumns } from '../../data-graph/rows/fit-columns.ts';
import type { RowSelection } from '../../data-graph/rows/row-selection.ts';
import { spliceRowsInTurns } from '../../data-graph/rows/splice-rows.ts';
import type { GraphShape } from '../../data-graph/shape.ts';
import { resultTooLarge, ServiceError } from '../../errors/service-error.ts';
import type { RunResponse } from '../../runs/run-response.ts';
import type { RunPart } from './run-parts.ts';

/** Remaining bytes of one response. */
export interface WriteBudget {
  bytesLeft: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * The object of a run as pieces. Throws `shape_changed` when the result no longer has the selected columns, and
 * `query_too_large` beyond the budget.
 */
export async function writeRun(
  run: RunResponse,
  { shape, parts }: { readonly shape: GraphShape; readonly parts: readonly RunPart[] },
  budget: WriteBudget,
): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of parts) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'fact') text += part.write(run);
    else {
      const rows = await spliceRowsInTurns(run.rows, compiledFor(run, shape, part), {
        maxBytes: budget.bytesLeft,
        ...(budget.signal === undefined ? {} : { signal: budget.signal }),
      });
      budget.bytesLeft -= rows.length;
      pieces.push(Buffer.from(text), rows);
      text = '';
    }
  }
  pieces.push(Buffer.from(text));
  return pieces;
}

type RowsPart = Extract<RunPart, { readonly kind: 'rows' }>;

/** For results with exactly the shape's columns. */
const compiledOwn = new WeakMap<RowSelection, CompiledRows>();

function compiledFor(run: RunResponse, shape: GraphShape, { selection }: RowsPart): CompiledRows {
  if (run.stream !== null) throw resultTooLarge();
  if (!hasOwnColumns(run, shape)) return compileFor(run, shape, selection);
  const known = compiledOwn.get(selection);
  if (known !== undefined) return known;
  const compiled = compileRows(shape, selection);
  compiledOwn.set(selection, compiled);
  return compiled;
}

function hasOwnColumns({ columns }: RunResponse, shape: GraphShape): boolean {
  return (
    columns.length === shape.columns.length &&
    columns.every(({ name, type }, at) => {
      const column = shape.columns[at];
      return column?.source === name && column.engineType === type;
    })
  );
}

/** The result comes from another version, or from tables that were altered after the version was saved. */
function compileFor(run: RunResponse, shape: GraphShape, selection: RowSelection): CompiledRows {
  const selected = selection.flatMap((one) => (one.kind === 'column' ? [one.index] : []));
  const { layout, misfits } = fitColumns(shape, selected, run.columns);
  if (misfits.length > 0) throw shapeChanged(run, misfits);
  return compileRows(shape, selection, layout);
}

function shapeChanged(run: RunResponse, misfits: readonly ColumnMisfit[]): ServiceError {
  const [first] = misfits;
  const listed = misfits
    .map(({ column, found }) =>
      found === null
        ? `${column.name} is missing`
        : `${column.name} is now ${found}, not ${column.engineType}`,
    )
    .join('; ');
  return new ServiceError(
    'shape_changed',
    `The result of version ${run.version} does not have the selected columns: ${listed}. Select others, run a version that has them, or read the schema again if a table has changed.`,
    { attr: first === undefined ? null : `rows.${first.column.name}` },
  );
}
