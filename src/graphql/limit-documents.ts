/** Applies the document limits to a server's requests. */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  type ParseOptions,
  parse,
  Source,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Config } from '../config/config.ts';
import { withoutSuggestions, withSafeMessage } from './errors.ts';
import {
  type DocumentLimits,
  type LimitChecks,
  openLimitChecks,
  requireShallow,
} from './limits.ts';
import { listSizes } from './list-rows.ts';
import { executedBy } from './prepare-run.ts';

/** The limits from the settings. */
export function documentLimits(config: Config): DocumentLimits {
  return {
    maxDepth: config.maxQueryDepth,
    maxCost: config.maxQueryCost,
    maxAliases: config.maxQueryAliases,
    maxRuns: config.maxQueryRuns,
  };
}

/** Parses the text. Throws a GraphQLError for a document that is too long, too deep or malformed. */
export function parseWithin(
  { maxQueryTokens: maxTokens }: Pick<Config, 'maxQueryTokens'>,
  text: string | Source,
  options: ParseOptions = {},
): DocumentNode {
  const source = typeof text === 'string' ? new Source(text) : text;
  requireShallow(source, maxTokens);
  return parse(source, { ...options, maxTokens });
}

/** For documents of `/graphql`. */
export function limitChecksOf(config: Config, schema: GraphQLSchema): LimitChecks {
  return openLimitChecks(documentLimits(config), { lists: listSizes(schema), runs: 'named' });
}

export function limitDocuments(config: Config, checks: LimitChecks): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn((text, options) => parseWithin(config, text, options));
      return ({ result, replaceParseResult }) => {
        if (result instanceof Error) replaceParseResult(withSafeMessage(result));
      };
    },
    onValidate({ params, addValidationRule, setResult }) {
      const refusals = checks.refusalsOf(params.documentAST);
      if (refusals.length > 0) setResult([...refusals]);
      else if (!config.introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
      return ({ valid, result, setResult: setErrors }) => {
        if (valid) return;
        const errors = (result as readonly Error[]).map(withSafeMessage);
        setErrors(config.introspection ? errors : errors.map(withoutSuggestions));
      };
    },
    // Not during validation, whose result is cached for all variable values.
    onExecute({ args, setResultAndStopExecution }) {
      const refusal = checks.refusalOfCost(executedBy(args));
      if (refusal !== null) setResultAndStopExecution({ errors: [asBadRequest(refusal)] });
    },
  };
}

/** Uses the status of a validation error: 400, or 200 for a caller that accepts only `application/json`. */
export function asBadRequest({ message, extensions }: GraphQLError): GraphQLError {
  return new GraphQLError(message, {
    extensions: { ...extensions, http: { spec: true, status: 400 } },
  });
}
