/**
 * Attribute names. OpenTelemetry's semantic conventions are spelled out, because importing their package would load it;
 * a test compares them. Ours begin with `querydock`.
 */
export const semantic = {
  httpRequestMethod: 'http.request.method',
  httpRequestMethodOriginal: 'http.request.method_original',
  httpRoute: 'http.route',
  httpResponseStatusCode: 'http.response.status_code',
  urlPath: 'url.path',
  urlScheme: 'url.scheme',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  errorType: 'error.type',
  graphqlOperationName: 'graphql.operation.name',
  graphqlOperationType: 'graphql.operation.type',
  dbSystemName: 'db.system.name',
  dbNamespace: 'db.namespace',
  dbQuerySummary: 'db.query.summary',
  dbResponseStatusCode: 'db.response.status_code',
} as const;

export const own = {
  requestId: 'querydock.request.id',
  project: 'querydock.project.id',
  endpoint: 'querydock.endpoint.name',
  version: 'querydock.endpoint.version',
  interface: 'querydock.interface',
  /** cache, inline or materialized. */
  servedFrom: 'querydock.served_from',
  /** hit, stale or miss. */
  cache: 'querydock.cache.outcome',
  inlineReason: 'querydock.inline_reason',
  executionId: 'querydock.execution.id',
  rows: 'querydock.rows',
  /** Whether the result comes from an execution that another run started. */
  joined: 'querydock.joined',
  syncId: 'querydock.sync.id',
  syncOutcome: 'querydock.sync.outcome',
} as const;
