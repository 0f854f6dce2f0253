/** Finds the position of a fault in a query from the service's message. Pure. */

export interface Fault {
  readonly message: string;
  /** The faulty characters; null when the message names no position. */
  readonly range: readonly [number, number] | null;
}

export function faultOf(text: string, message: string): Fault {
  const found = / at line (\d+), column (\d+)/.exec(message);
  if (found === null) {
    const isAtEnd = / at the end of the query/.test(message);
    const end = text.trimEnd().length;
    return { message, range: isAtEnd && end > 0 ? [end - 1, end] : null };
  }
  const lines = text.split('\n').slice(0, Number(found[1]) - 1);
  const start = lines.reduce((sum, line) => sum + line.length + 1, 0) + Number(found[2]) - 1;
  const from = Math.max(0, Math.min(start, text.length - 1));
  const word = /^[\w$]+/.exec(text.slice(from))?.[0] ?? '';
  return { message, range: [from, Math.min(from + Math.max(word.length, 1), text.length)] };
}
