/** The guarantees that hold for the response to any input. */
import { type ErrorCode, errorStatus, errorType } from '../../../src/errors/service-error.ts';
import type { RawResponse } from './exchange.ts';

/** Codes that GraphQL gives documents which it refuses itself; docs/errors.md lists them. */
const graphqlCodes = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'GRAPHQL_DOCUMENT_TOO_LARGE',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_HASH_MISMATCH',
  'PERSISTED_QUERY_ONLY',
]);

/** No sentence for people is longer. */
const maxDetail = 2000;

/** Internal details: stacks, files, our SQL, the backends and their addresses. */
const internal: readonly RegExp[] = [
  /\bat [\w.<>[\] ]+ \((file:|node:|\/)/,
  /\bnode:internal|node_modules|\.ts:\d+/,
  /\b(TypeError|RangeError|ReferenceError|SyntaxError|PrismaClient\w*|EngineError|DB::Exception)\b/,
  /\bfrom "?(public\.)?"?(endpoint_version|api_key|query_status|endpoint)"? /i,
  /\bECONN\w+|\bE(PIPE|MFILE)\b/,
  /127\.0\.0\.1:\d+|\/tmp\/|\/work\/|\/home\//,
  /\[object Object\]/,
];

/** @throws Error naming the guarantee that the response breaks. */
export function judge(answer: RawResponse, secrets: readonly string[]): void {
  const { status, headers, body } = answer;
  const fail = (what: string): never => {
    throw new Error(`${what}: ${status} ${body.toString('utf8').slice(0, 600)}`);
  };
  if (status >= 500) fail('a fault of the service');
  if (status < 200) fail('no final answer');
  if (headers.get('x-content-type-options') !== 'nosniff') fail('without nosniff');
  if (!headers.has('x-request-id')) fail('without a request id');
  const text = body.toString('utf8');
  if (secrets.some((secret) => text.includes(secret))) fail('a secret is shown');
  const type = headers.get('content-type') ?? '';
  if (body.length > 0 && type === '') fail('a body without a type');
  if (body.length === 0) return;
  if (/^(multipart\/mixed|text\/event-stream)/.test(type)) {
    for (const [part] of text.matchAll(/\{.*\}/g)) judgeJson(part, status, fail);
    return;
  }
  const isJson = /^application\/(graphql-response\+)?json\b/.test(type);
  if (status >= 400 && !isJson) fail(`an error of type ${type}`);
  if (isJson) judgeJson(text, status, fail);
}

function judgeJson(text: string, status: number, fail: Fail): void {
  const value: unknown = parse(text);
  if (value === undefined) fail('not JSON');
  if (status >= 400 || isErrors(value)) judgeError(value, status, fail);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface GraphQLErrors {
  readonly errors: readonly {
    readonly message: unknown;
    readonly extensions?: Readonly<Record<string, unknown>>;
  }[];
}

function isErrors(value: unknown): value is GraphQLErrors {
  return (
    value !== null &&
    typeof value === 'object' &&
    Array.isArray((value as { errors?: unknown }).errors)
  );
}

type Fail = (what: string) => never;

function judgeError(value: unknown, status: number, fail: Fail): void {
  if (isErrors(value)) {
    if (value.errors.length === 0) fail('no error among the errors');
    for (const { message, extensions } of value.errors) {
      judgeSentence(message, fail);
      const code = String(extensions?.code);
      if (graphqlCodes.has(code)) continue;
      judgeCode(code, extensions?.type, fail);
      judgeAttr(extensions?.attr, fail);
    }
    return;
  }
  const { type, code, detail, attr } = value as Readonly<Record<string, unknown>>;
  judgeSentence(detail, fail);
  judgeCode(code, type, fail);
  judgeAttr(attr, fail);
  if (errorStatus[code as ErrorCode] !== status) fail(`the status of ${String(code)}`);
}

function judgeSentence(sentence: unknown, fail: Fail): void {
  const text = typeof sentence === 'string' ? sentence : '';
  if (text.trim() === '') fail('no sentence');
  if (text.length > maxDetail) fail(`a sentence of ${text.length} characters`);
  const leak = internal.find((pattern) => pattern.test(text));
  if (leak !== undefined) fail(`the inside is shown (${leak})`);
}

function judgeCode(code: unknown, type: unknown, fail: Fail): void {
  if (typeof code !== 'string' || !Object.hasOwn(errorStatus, code))
    fail('no code of the catalogue');
  const known = code as ErrorCode;
  if (known === 'error' || errorStatus[known] >= 500) fail('a fault of the service');
  if (type !== errorType(known)) fail(`the type of ${known}`);
}

function judgeAttr(attr: unknown, fail: Fail): void {
  if (attr !== null && typeof attr !== 'string') fail('no attr');
}
