/**
 * Lists, tuples and maps of a CSV, each of which is one field such as `[1,2]` or `{'a':(1,NULL)}`. The field is read as a
 * text that must be of its type's form, so that the engine can take the texts of all values out of it. Pure.
 */
import {
  type ClickHouseType,
  elementTypes,
  typeToText,
  withoutWrappers,
} from '../../../sql/clickhouse-type.ts';
import { quoteText } from '../../../sql/quote-name.ts';
import {
  type Conversion,
  castOrNull,
  convertLeaf,
  type ExactColumn,
  holdsNull,
  kindOf,
} from './exact-leaves.ts';
import { convertWithin, isComposite } from './exact-nested.ts';

/** How the values of a type are written: as `'x'`, as `1.5`, or both. */
type Writing = 'quoted' | 'bare' | 'either';

/** Null for a type that has others within it than those of `writingOf`. */
export function exactFromNestedText(type: ClickHouseType, source: string): ExactColumn | null {
  const prepared = readText(type, source);
  if (prepared === null) return null;
  const { value, isExact } = convertWithin(type, `tupleElement(${source}, 2)`, { leaf: textLeaf });
  return {
    readAs: 'String',
    prepared,
    value: `CAST(${value}, ${quoteText(typeToText(type))})`,
    isHeld: `(tupleElement(${source}, 1) AND ${isExact})`,
  };
}

/** An expression that is 1 for a text whose values the type holds; null for the types of `exactFromNestedText`. */
export function isHeldInNested(type: ClickHouseType, text: string): string | null {
  const prepared = readText(type, text);
  if (prepared === null) return null;
  const { isExact } = convertWithin(type, 'tupleElement(_t, 2)', { leaf: textLeaf });
  return `arrayAll(_t -> (tupleElement(_t, 1) AND ${isExact}), [${prepared}])`;
}

/** An expression of whether the text is of the type's form, and of the texts within it. */
function readText(type: ClickHouseType, written: string): string | null {
  const leaves = leavesWithin(type);
  if (leaves.some((leaf) => writingOf(leaf) === null)) return null;
  // The engine takes a list without its brackets, too.
  const isOpen = `match(${written}, '^\\\\s*[^\\\\s\\\\[]')`;
  const text =
    type.name === 'Array' ? `if(${isOpen}, concat('[', ${written}, ']'), ${written})` : written;
  // No quote is in such a text, unless it is of another form.
  const areBare = leaves.every((leaf) => writingOf(leaf) === 'bare' && !holdsNull(leaf));
  const closed = areBare ? withPlainCommas(text) : withLastCommas(text);
  const isWhole = `match(${closed}, ${quoteText(`^(?s:${formOf(type)})\\s*$`)})`;
  const areQuoted = leaves.every((leaf) => writingOf(leaf) === 'quoted');
  const quotedText = areBare ? withPlainQuotes(text) : withQuotes(text);
  const whole = areQuoted ? text : quotedText;
  // The engine takes no map out of a text, but a tuple with a map.
  const inTuple = `concat('(', if(${isWhole}, ${whole}, ${quoteText(emptyOf(type))}), ')')`;
  const read = `CAST(${inTuple}, ${quoteText(`Tuple(${typeToText(asTexts(type))})`)})`;
  return `(${isWhole} OR empty(${text}), tupleElement(${read}, 1))`;
}

function leavesWithin(type: ClickHouseType): readonly ClickHouseType[] {
  return isContainer(type) ? elementTypes(type).flatMap(leavesWithin) : [type];
}

function isContainer(type: ClickHouseType): boolean {
  return isComposite(type) && type.args !== null && type.args.length > 0;
}

function writingOf(leaf: ClickHouseType): Writing | null {
  const bare = withoutWrappers(leaf);
  const kind = kindOf(bare);
  if (kind === 'time' || bare.name === 'Bool') return 'either';
  if (kind === 'date' || kind === 'clock' || quoted.test(bare.name)) return 'quoted';
  return kind === 'other' ? null : 'bare';
}

const quoted = /^(?:String|FixedString|UUID|IPv4|IPv6|Enum|Enum8|Enum16)$/;

const QUOTED = "(?:'(?:[^'\\\\]|\\\\.)*')+";
const BARE = '(?:[0-9.+-][0-9A-Za-z.+-]*|(?i:nan|inf(?:inity)?|true|false))';
const NULL = '(?i:NULL)';

/** The text with a comma after the last value of each list and map, so that `formOf` names each type within them once. */
function withLastCommas(source: string): string {
  const all = `((?s:[^'\\]}]|${QUOTED})*)([\\]}])`;
  return `replaceRegexpAll(${source}, ${quoteText(all)}, ${quoteText('\\1,\\2')})`;
}

/** Both for a text without quotes and NULL, in half the time. */
function withPlainCommas(source: string): string {
  return `replaceAll(replaceAll(${source}, ']', ',]'), '}', ',}')`;
}

function withPlainQuotes(source: string): string {
  return `replaceRegexpAll(${source}, ${quoteText('[^\\s,:(){}\\[\\]]+')}, ${quoteText("'\\0'")})`;
}

/** A pattern of all that is written as the type, after `withLastCommas`. */
function formOf(type: ClickHouseType): string {
  if (!isContainer(type)) return formOfLeaf(type);
  const parts = elementTypes(type).map(formOf);
  const listOf = (item: string) => `\\s*(?:${item}\\s*,\\s*)*,?\\s*`;
  if (type.name === 'Array') return `\\[${listOf(parts[0] ?? '')}\\]`;
  if (type.name === 'Tuple')
    return `\\(\\s*${parts.join('\\s*,\\s*')}\\s*${parts.length === 1 ? '(?:,\\s*)?' : ''}\\)`;
  return `\\{${listOf(parts.join('\\s*:\\s*'))}\\}`;
}

function formOfLeaf(leaf: ClickHouseType): string {
  const writing = writingOf(leaf);
  const forms = [
    ...(writing === 'bare' ? [] : [QUOTED]),
    ...(writing === 'quoted' ? [] : [BARE]),
    ...(holdsNull(leaf) ? [NULL] : []),
  ];
  return `(?:${forms.join('|')})`;
}

/** The text with quotes around each value but NULL, as the engine reads texts within it. */
function withQuotes(source: string): string {
  const other = `(?:[\\s,:(){}\\[\\]]|${QUOTED}|${NULL}[\\s,:)}\\]])*`;
  const all = `((?s:${other}))([^\\s,:(){}\\[\\]']+)`;
  // The last value is none of the text, so that what follows the last one of it is taken as a whole.
  const marked = `replaceRegexpAll(concat(${source}, ',0'), ${quoteText(all)}, ${quoteText("\\1'\\2'")})`;
  return `substring(${marked}, 1, length(${marked}) - ${",'0'".length})`;
}

function emptyOf(type: ClickHouseType): string {
  if (type.name === 'Array') return '[]';
  if (type.name === 'Map') return '{}';
  return isContainer(type) ? `(${elementTypes(type).map(emptyOf).join(',')})` : 'NULL';
}

/** The type with a text in place of each value within it. */
function asTexts(type: ClickHouseType, isKey = false): ClickHouseType {
  const text: ClickHouseType = { name: 'String', args: null };
  if (!isContainer(type))
    return isKey ? text : { name: 'Nullable', args: [{ label: null, type: text, text: 'String' }] };
  const args = (type.args ?? []).map((arg, at) =>
    arg.type === null ? arg : { ...arg, type: asTexts(arg.type, type.name === 'Map' && at === 0) },
  );
  return { ...type, args };
}

function textLeaf(type: ClickHouseType, source: string): Conversion {
  const known = convertLeaf(type, source);
  if (known !== null) return known;
  const bare = withoutWrappers(type);
  const isEmpty = holdsNull(type) ? `isNull(${source})` : '0';
  const value = bare.name === 'String' ? source : castOrNull(source, bare);
  return { value, isExact: `(${isEmpty} OR isNotNull(${value}))` };
}
