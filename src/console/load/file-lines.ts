/** A line of a file with the preceding ones, to show what a refusal is about. */

export interface FileLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

const linesBefore = 2;
/** Beyond this, finding a line would take too long. */
const mostBytes = 256 * 1024 * 1024;
const mostCharacters = 300;

/** Empty when the file has no such line, or it is too far into the file. */
export async function linesUpTo(file: Blob, line: number): Promise<readonly FileLine[]> {
  const reader = file.slice(0, mostBytes).stream().pipeThrough(new TextDecoderStream()).getReader();
  let kept: readonly FileLine[] = [];
  let rest = '';
  let number = 1;
  const take = (text: string) => {
    if (number >= line - linesBefore && number <= line)
      kept = [...kept, { number, text: shortened(text) }];
    number += 1;
  };
  for (;;) {
    const { done, value } = await reader.read();
    const pieces = (rest + (value ?? '')).split('\n');
    rest = done ? '' : (pieces.pop() ?? '');
    for (const piece of pieces) take(piece.replace(/\r$/, ''));
    if (number > line) await reader.cancel();
    if (done || number > line) return kept.at(-1)?.number === line ? kept : [];
  }
}

function shortened(text: string): string {
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}
