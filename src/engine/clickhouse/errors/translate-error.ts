/** Maps ClickHouse's error numbers to the service's codes. */
import { ServiceError } from '../../../errors/service-error.ts';
import { findPlaceholders } from '../../../sql/placeholders.ts';
import { RowFault } from '../../row-fault.ts';
import { dataFault, isAboutShape, isOfRow } from './data-fault.ts';
import { dictionaryFault } from './dictionary-fault.ts';
import { EngineError, isDenied, isUnknownTable } from './engine-error.ts';
import { type FailureKind, failure } from './failures.ts';
import { deniedDictionary, lacksRight } from './lacking-right.ts';
import { onlyTables, type SafeMessageContext, safeMessage } from './safe-message.ts';
import { wayOut } from './way-out.ts';

/** The code for a fault of the query itself, when it is saved and when it runs. */
export type Fault = 'invalid_query' | 'query_failed';

export interface TranslationContext extends SafeMessageContext {
  readonly fault: Fault;
  /** Whether the caller sent the data, so that a message may quote it. */
  readonly isOwnData?: true;
  /** The dictionaries that the query may use, as written in it. */
  readonly dictionaries?: readonly string[];
}

const codes: Readonly<Record<FailureKind, readonly number[]>> = {
  unavailable: [192, 193, 194, 209, 210, 242, 279, 516, 700, 999],
  capacity: [745],
  diskFull: [243],
  tooMany: [202],
  tooLarge: [158, 307, 396],
  timeout: [159, 160],
  memory: [191, 241],
  cancelled: [394, 735],
};
const kinds = Object.keys(codes) as FailureKind[];

/** Writing, opening and creating files and folders, and what the standard library says of them. */
const ofFiles = new Set([75, 76, 172, 1001]);
/** UNKNOWN_DATABASE, ACCESS_DENIED and similar: the message must not reveal whether the object exists. */
const beyondProject = new Set([81, 291, 497]);
/** Values that the engine could not parse as their parameter's type. */
const BAD_PARAMETER = 457;
const MISSING_PARAMETER = 456;
/** Only a SETTINGS clause can change what a reader's profile fixes. */
const READONLY = 164;

const TOO_LONG = /Field value too long|URI invalid or too long/;

/** Translates any failure of an engine request into a ServiceError; returns a ServiceError unchanged. */
export function translateError(error: unknown, context: TranslationContext): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof EngineError)) {
    return failure('unavailable', { cause: error, internal: String(error) });
  }
  const details = { internal: error.message.slice(0, 2000) };
  const unloaded = dictionaryFault(error, context);
  if (unloaded !== null) return new ServiceError('query_failed', unloaded, details);
  const kind = kindOf(error);
  if (kind !== undefined) return failure(kind, details);
  const parameter = parameterFault(error, details);
  if (parameter !== null) return parameter;
  const detail = faultDetail(error, context);
  if (context.fault === 'invalid_query') {
    const hint = wayOut(error.message) || valueHint(error, context.sql ?? '');
    return new ServiceError('invalid_query', detail + hint, { ...details, attr: 'query' });
  }
  return isOfRow(error.code)
    ? new RowFault(detail, details)
    : new ServiceError(context.fault, detail, details);
}

const CHECKED_WITH_DEFAULTS =
  ' Queries are checked with the defaults of their variables, and with 1, an empty text and the like for those without: give them defaults for which this can be evaluated.';

/** A query is checked with its defaults, and with 1, an empty text and the like for variables without one. */
function valueHint({ code, message }: EngineError, sql: string): string {
  if (/Scalar subquery returned empty result/.test(message))
    return ' Queries are checked with the defaults of their variables: give them defaults for which the subquery finds a row.';
  // The types of variables are declared, so no value changes those of an aggregate's arguments.
  if (/of argument for aggregate function|arguments must have the same type/.test(message))
    return '';
  const type = /while converting '' to ([A-Z]\w*)/.exec(message)?.[1];
  if (type === undefined)
    return isOfRow(code) && findPlaceholders(sql).length > 0 ? CHECKED_WITH_DEFAULTS : '';
  return ` An empty text is used as a value of the type ${type}: give the variable this type, as in {name:${type}}, or a default.`;
}

/** Whether the engine does not accept a text, or fails to evaluate a part of it. */
export function isFaultOfText(error: unknown): boolean {
  return error instanceof ServiceError && /^(invalid_query|query_failed)$/.test(error.code);
}

/** Whether a statement exceeded its own limit. */
export function isMemoryLimit(error: unknown): boolean {
  return error instanceof EngineError && kindOf(error) === 'memory';
}

/** Two error numbers mean one thing for a query and another for the whole engine. */
function kindOf({ code, message }: EngineError): FailureKind | undefined {
  if (code === 202 && !/for user/i.test(message)) return 'capacity';
  // A response without a number comes from a proxy, not the engine.
  if (code === 0 && !TOO_LONG.test(message)) return 'unavailable';
  if (code === 241 && /\(total\)|total memory/i.test(message)) return 'capacity';
  if (ofFiles.has(code) && /No space left on device/.test(message)) return 'diskFull';
  return kinds.find((kind) => codes[kind].includes(code));
}

function faultDetail(error: EngineError, context: TranslationContext): string {
  if (error.code === READONLY) return 'A query cannot change settings. Remove its SETTINGS clause.';
  if (isBeyondProject(error, context))
    return deniedDictionary(error, context.dictionaries) ?? onlyTables(context.boundTo);
  const mayQuote = context.fault === 'invalid_query' || context.isOwnData === true;
  if (mayQuote || isAboutShape(error.code)) return safeMessage(error.message, context);
  return dataFault(error.code, error.message, context.written ?? '');
}

/** The message for a table of another database must be the same whether the table exists or not. */
function isBeyondProject(error: EngineError, { projectId, boundTo }: TranslationContext): boolean {
  if (beyondProject.has(error.code)) return true;
  if (!isUnknownTable(error)) return false;
  const table = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  const databases = boundTo ?? [`project_${projectId}`];
  return table.includes('.') && !databases.some((name) => table.startsWith(`${name}.`));
}

function parameterFault(error: EngineError, details: { internal: string }): ServiceError | null {
  if (error.code === MISSING_PARAMETER) {
    const name = /Substitution `([^`]*)`/.exec(error.message)?.[1] ?? '';
    // The engine sets no parameters there, whatever the caller gave.
    if (name === '') {
      const unnamed =
        'A variable within INTERPOLATE or the lambda of APPLY has no value; name it for INTERPOLATE, as in WITH {x:UInt8} AS x … INTERPOLATE (total AS x), and write the expression of APPLY for each column.';
      return new ServiceError('invalid_query', unnamed, { ...details, attr: 'query' });
    }
    const detail = `The variable ${name} has no value.`;
    return new ServiceError('missing_variable', detail, { ...details, attr: `variables.${name}` });
  }
  if (TOO_LONG.test(error.message)) {
    const detail = 'The value of a variable is longer than the engine accepts.';
    return new ServiceError('invalid_input', detail, { ...details, attr: 'variables' });
  }
  const named = /for query parameter '([^']*)'/.exec(error.message)?.[1];
  if (named === undefined && error.code !== BAD_PARAMETER) return null;
  const type = /cannot be parsed as ([\s\S]*?) for query parameter/.exec(error.message)?.[1];
  return new ServiceError(
    'invalid_input',
    `The value of ${named ?? 'a variable'} cannot be parsed as ${type ?? 'its type'}.`,
    { ...details, attr: named === undefined ? 'variables' : `variables.${named}` },
  );
}

/** Wraps statements of the service itself, whose failures are never a caller's fault. */
export async function asService<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isDenied(error)) throw lacksRight(error);
    throw translateError(error, { fault: 'query_failed', projectId: 0 });
  }
}
