/** JSON in lines. Pure. */

const part = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g;

/** Splits the text into lines, indented by two spaces; values stay as written. */
export function indentJson(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  const start = () => {
    lines.push(line);
    line = '  '.repeat(depth);
  };
  let before = '';
  for (const [found] of text.matchAll(part)) {
    const closes = found === '}' || found === ']';
    if (closes) {
      depth -= 1;
      if (before !== '{' && before !== '[') start();
    } else if (before === '{' || before === '[') start();
    line += found === ':' ? ': ' : found;
    if (found === '{' || found === '[') depth += 1;
    if (found === ',') start();
    before = found;
  }
  lines.push(line);
  return lines;
}
