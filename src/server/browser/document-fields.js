/** The root fields of a document with their arguments, parsed leniently while somebody is typing. */
import { parseExact } from './exact-json.js';

const TOKEN =
  /#[^\n]*|"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|\$?[A-Za-z_]\w*|-?\d[\w.+-]*|\.{3}|[^\s,]/g;
const CLOSING = { '(': ')', '{': '}', '[': ']' };

/**
 * @param variables content of GraphiQL's Variables editor.
 * @returns `{ name, args }` for each root field; a variable without a value is omitted, an enum is its name.
 */
export function rootFields(document, variables) {
  const tokens = (document.match(TOKEN) ?? []).filter((token) => !token.startsWith('#'));
  const reader = { tokens, at: 0, values: parseVariables(variables) };
  const fields = [];
  while (reader.at < tokens.length) {
    const token = tokens[reader.at];
    if (token === 'fragment') skipUntil(reader, '{');
    if (token === '(') readDefaults(reader);
    else if (token === '{') fields.push(...readSelection(reader));
    else reader.at += 1;
  }
  return fields;
}

function parseVariables(text) {
  try {
    return { ...parseExact(text || '{}') };
  } catch {
    return {};
  }
}

/** Skips the block that begins with the next such bracket, because a fragment has no root fields. */
function skipUntil(reader, bracket) {
  while (reader.at < reader.tokens.length && reader.tokens[reader.at] !== bracket) reader.at += 1;
  skipBlock(reader);
}

function skipBlock(reader) {
  const open = reader.tokens[reader.at];
  let depth = 0;
  do {
    const token = reader.tokens[reader.at];
    if (token === open) depth += 1;
    if (token === CLOSING[open]) depth -= 1;
    reader.at += 1;
  } while (depth > 0 && reader.at < reader.tokens.length);
}

/** `($name: Type = default)`. */
function readDefaults(reader) {
  let name = '';
  reader.at += 1;
  while (reader.at < reader.tokens.length && reader.tokens[reader.at] !== ')') {
    const token = reader.tokens[reader.at];
    reader.at += 1;
    if (token.startsWith('$') && token.length > 1) name = token.slice(1);
    if (token !== '=') continue;
    const value = readValue(reader);
    if (!Object.hasOwn(reader.values, name)) reader.values[name] = value;
  }
  reader.at += 1;
}

function readSelection(reader) {
  const fields = [];
  reader.at += 1;
  while (reader.at < reader.tokens.length && reader.tokens[reader.at] !== '}') {
    const token = reader.tokens[reader.at];
    if (token === '{' || token === '(') skipBlock(reader);
    else reader.at += 1;
    if (!/^[A-Za-z_]/.test(token) || reader.tokens[reader.at] === ':') continue;
    const args = reader.tokens[reader.at] === '(' ? readMembers(reader) : {};
    fields.push({ name: token, args });
  }
  reader.at += 1;
  return fields;
}

/** `(name: value …)` or `{name: value …}`. */
function readMembers(reader) {
  const end = CLOSING[reader.tokens[reader.at]];
  const members = [];
  reader.at += 1;
  while (reader.at < reader.tokens.length && reader.tokens[reader.at] !== end) {
    const name = reader.tokens[reader.at];
    reader.at += 1;
    if (reader.tokens[reader.at] !== ':') continue;
    reader.at += 1;
    const value = readValue(reader);
    if (value !== undefined) members.push([name, value]);
  }
  reader.at += 1;
  return Object.fromEntries(members);
}

const words = { true: true, false: false, null: null };

function readValue(reader) {
  const token = reader.tokens[reader.at];
  if (token === '{') return readMembers(reader);
  if (token === '[') return readList(reader);
  reader.at += 1;
  if (token === undefined) return undefined;
  if (token.startsWith('$')) return reader.values[token.slice(1)];
  if (token.startsWith('"""')) return token.slice(3, -3);
  if (Object.hasOwn(words, token)) return words[token];
  if (!/^["\d-]/.test(token)) return token;
  try {
    return parseExact(token);
  } catch {
    return undefined;
  }
}

function readList(reader) {
  const list = [];
  reader.at += 1;
  while (reader.at < reader.tokens.length && reader.tokens[reader.at] !== ']')
    list.push(readValue(reader));
  reader.at += 1;
  return list;
}
