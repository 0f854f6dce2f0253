/** Which chart fits the columns of a result. A test compares it with the console's rule. */

/**
 * Over time a line, over categories bars, for two numbers points; null for none.
 *
 * @param kinds kinds of the columns, in their order.
 */
export function chartFor(kinds) {
  const numbers = kinds.flatMap((kind, at) => (kind === 'number' ? [at] : []));
  const [time, text] = [kinds.indexOf('time'), kinds.indexOf('text')];
  const [one, two] = numbers;
  if (one === undefined) return null;
  if (time !== -1) return { shape: 'line', x: time, y: one };
  if (text !== -1) return { shape: 'bar', x: text, y: one };
  return two === undefined ? null : { shape: 'points', x: one, y: two };
}

/** The chart type for numbers against a column of another kind. */
export function shapeFor(kind) {
  return { time: 'line', number: 'points' }[kind] ?? 'bar';
}
