/** ClickHouse's error numbers as the service's codes. */
import { type ErrorCode, ServiceError } from '../../../errors/service-error.ts';
import { OWN_TABLES } from '../guard/5-syntax-tree.ts';
import { EngineError } from './engine-error.ts';
import { type SafeMessageContext, safeMessage } from './safe-message.ts';

export interface TranslationContext extends SafeMessageContext {
  /** What a fault of the query itself is called: while it is checked, or while it runs. */
  readonly fault: 'invalid_query' | 'query_failed';
}

interface Row {
  readonly code: ErrorCode;
  /** A fixed sentence; absent: the engine's own words made safe. */
  readonly detail?: string;
  readonly retryAfterSeconds?: number;
}

const unavailableRow: Row = {
  code: 'engine_unavailable',
  detail: 'The engine is not available at the moment.',
  retryAfterSeconds: 1,
};
const capacityRow: Row = {
  code: 'query_capacity',
  detail: 'The engine is busy at the moment. Try again shortly.',
  retryAfterSeconds: 1,
};
const tooLargeRow: Row = {
  code: 'query_too_large',
  detail: 'The result is larger than this service returns. Ask for fewer rows or columns.',
};
const timeoutRow: Row = {
  code: 'query_timeout',
  detail: 'The query took longer than it may. Read fewer rows.',
};
const memoryRow: Row = {
  code: 'query_memory_limit',
  detail: 'The query needs more memory than it may use. Group or sort fewer rows at once.',
};
const tooManyRow: Row = {
  code: 'too_many_concurrent_queries',
  detail: 'This project already runs as many queries at once as it may. Try again shortly.',
  retryAfterSeconds: 1,
};
const cancelledRow: Row = { code: 'query_cancelled', detail: 'The query was cancelled.' };

const rows: ReadonlyMap<number, Row> = new Map([
  [158, tooLargeRow],
  [159, timeoutRow],
  [160, timeoutRow],
  [191, memoryRow],
  [192, unavailableRow],
  [193, unavailableRow],
  [194, unavailableRow],
  [202, tooManyRow],
  [209, unavailableRow],
  [210, unavailableRow],
  [241, memoryRow],
  [242, unavailableRow],
  [243, capacityRow],
  [279, unavailableRow],
  [307, tooLargeRow],
  [394, cancelledRow],
  [396, tooLargeRow],
  [516, unavailableRow],
  [700, unavailableRow],
  [735, cancelledRow],
  [745, capacityRow],
  [999, unavailableRow],
]);

/** UNKNOWN_DATABASE, ACCESS_DENIED and their like: the answer must not tell whether the thing exists. */
const beyondProject = new Set([81, 291, 497]);
/** Values that the engine could not read as their parameter's type. */
const BAD_PARAMETER = 457;
const MISSING_PARAMETER = 456;
const UNKNOWN_TABLE = 60;
/** Only a SETTINGS clause can ask for what a reader's profile holds fast. */
const READONLY = 164;

const TOO_LONG = /Field value too long|URI invalid or too long/;

/** Any failure of a request to the engine as a ServiceError; one that is one already stays as it is. */
export function translateError(error: unknown, context: TranslationContext): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof EngineError)) {
    return new ServiceError('engine_unavailable', 'The engine is not available at the moment.', {
      cause: error,
      retryAfterSeconds: 1,
      internal: String(error),
    });
  }
  const row = rowFor(error);
  const details = { internal: error.message.slice(0, 2000) };
  if (row !== undefined) {
    const { code, detail = safeMessage(error.message, context), retryAfterSeconds } = row;
    return new ServiceError(code, detail, {
      ...details,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }
  const parameter = parameterFault(error, details);
  if (parameter !== null) return parameter;
  const detail = faultDetail(error, context);
  const attr = context.fault === 'invalid_query' ? { attr: 'query' } : {};
  return new ServiceError(context.fault, detail, { ...details, ...attr });
}

function faultDetail(error: EngineError, context: TranslationContext): string {
  if (error.code === READONLY)
    return 'A query may not change settings. Remove its SETTINGS clause.';
  return isBeyondProject(error, context.projectId)
    ? OWN_TABLES
    : safeMessage(error.message, context);
}

/** An unknown table of another database and a known one must read the same. */
function isBeyondProject(error: EngineError, projectId: number): boolean {
  if (beyondProject.has(error.code)) return true;
  if (error.code !== UNKNOWN_TABLE) return false;
  const table = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  return table.includes('.') && !table.startsWith(`project_${projectId}.`);
}

/** Two numbers mean one thing for a query and another for the whole engine. */
function rowFor(error: EngineError): Row | undefined {
  if (error.code === 202 && !/for user/i.test(error.message)) return capacityRow;
  // No engine behind it: a proxy's page.
  if (error.code === 0 && !TOO_LONG.test(error.message)) return unavailableRow;
  if (error.code === 241 && /\(total\)|total memory/i.test(error.message)) return capacityRow;
  return rows.get(error.code);
}

function parameterFault(error: EngineError, details: { internal: string }): ServiceError | null {
  if (error.code === MISSING_PARAMETER) {
    const name = /Substitution `([^`]*)`/.exec(error.message)?.[1] ?? '';
    return new ServiceError('missing_variable', `The variable ${name} has no value.`, {
      ...details,
      attr: `variables.${name}`,
    });
  }
  if (TOO_LONG.test(error.message)) {
    return new ServiceError(
      'invalid_input',
      'A variable’s value is longer than the engine takes.',
      {
        ...details,
        attr: 'variables',
      },
    );
  }
  const named = /for query parameter '([^']*)'/.exec(error.message)?.[1];
  if (named === undefined && error.code !== BAD_PARAMETER) return null;
  const type = /cannot be parsed as ([\s\S]*?) for query parameter/.exec(error.message)?.[1];
  return new ServiceError(
    'invalid_input',
    `The value of ${named ?? 'a variable'} cannot be read as ${type ?? 'its type'}.`,
    { ...details, attr: named === undefined ? 'variables' : `variables.${named}` },
  );
}
