import { isErrorCode } from '../errors/service-error.ts';
import { graphqlPath } from '../graphql/server.ts';
import { type HttpRequest, type HttpResponse, textResponse } from '../http/message.ts';
import { describeError, errorPagePath } from '../http/problem.ts';
import { wrongMethodResponse } from '../http/wrong-method.ts';
import { docsAssets, docsContentSecurityPolicy, docsPage } from '../openapi/docs-page.ts';
import { serviceDocument } from '../openapi/service-document.ts';
import { operations } from '../rest/operations/all.ts';
import { type ConsolePage, consoleContentSecurityPolicy, isHashed } from './console-page.ts';
import {
  type GraphiQLPage,
  type GraphiQLSubject,
  graphiqlContentSecurityPolicy,
} from './graphiql-page.ts';
import { type GraphQLTarget, graphqlAt, wantsHtml } from './graphql-route.ts';
import { type PageAsset, respondAsset, toPageAsset } from './page-asset.ts';
import type { Readiness } from './readiness.ts';
import { isSignInPath, type SignInPages } from './sign-in-pages.ts';

/** Pages outside of both interfaces: health, metrics, documentation, GraphiQL, the console. */
export interface Pages {
  /** Null when the path is not one of these. */
  respond(
    request: HttpRequest,
  ): Promise<{ readonly name: string; readonly response: HttpResponse } | null>;
}

export interface PagesDeps {
  readonly console: ConsolePage;
  readonly graphiql: GraphiQLPage;
  /** Null without an OpenID provider. */
  readonly signIn: SignInPages | null;
  /** The demo's key, shown on the pages to callers on this machine; null in production. */
  readonly demoKey: () => string | null;
  readonly publicUrl: () => string;
  readonly readiness: Pick<Readiness, 'dependencies' | 'isDraining'>;
  readonly writeMetrics: () => string;
}

const allowed = ['GET', 'HEAD', 'OPTIONS'];

type Page = (request: HttpRequest) => Promise<HttpResponse> | HttpResponse;

/** Every path below it serves the console, which does its own routing. */
const CONSOLE_VIEW = /^\/project\/[\w@-]+(?:\/|$)/;
const ENDPOINT_PAGE = /^\/project\/(\d+)\/endpoints\/([a-zA-Z][a-zA-Z0-9_-]*)\/?$/;

export function openPages(deps: PagesDeps): Pages {
  const byPath: Readonly<Record<string, Page>> = {
    '/': async (request) => (await consolePage(deps, request)) ?? redirect(graphqlPath),
    '/healthz': () => textResponse(200, 'text/plain', 'ok\n'),
    '/readyz': () => readyPage(deps),
    '/metrics': () => textResponse(200, 'text/plain; version=0.0.4', deps.writeMetrics()),
    '/api/openapi.json': () =>
      textResponse(
        200,
        'application/json',
        JSON.stringify(serviceDocument(deps.publicUrl(), operations)),
      ),
    '/api/docs': (request) => docsResponse(deps, request),
  };
  const find: Pages['respond'] = async (request) => {
    const path = request.path.length > 1 ? request.path.replace(/\/$/, '') : request.path;
    const page = byPath[path];
    if (page !== undefined && Object.hasOwn(byPath, path))
      return { name: path, response: await page(request) };
    const code = path.startsWith(errorPagePath) ? path.slice(errorPagePath.length) : null;
    if (isErrorCode(code))
      return { name: 'error_page', response: textResponse(200, 'text/plain', describeError(code)) };
    const asset = /^\/api\/docs\/([a-z0-9.-]+)$/.exec(path)?.[1];
    if (asset !== undefined) return docsFile(request, asset);
    const file = /^\/graphql\/([a-z0-9.-]+)$/.exec(path)?.[1];
    if (file !== undefined) return graphiqlFile(deps, request, file);
    const part = /^\/console\/([\w.-]+)$/.exec(path)?.[1];
    if (part !== undefined) return consoleFile(deps, request, part);
    return CONSOLE_VIEW.test(path) ? consoleView(deps, request, path) : null;
  };
  return {
    async respond(request) {
      const { method, path } = request;
      if (isSignInPath(path)) return deps.signIn?.respond(request) ?? null;
      const isRead = method === 'GET' || method === 'HEAD';
      const graphql = graphqlAt(path);
      if (graphql !== null) {
        const isPage = isRead && wantsHtml(request);
        return isPage ? graphiqlAt(deps, request, graphql) : null;
      }
      const page = await find(request);
      return page === null || isRead
        ? page
        : { ...page, response: wrongMethodResponse(method, allowed) };
    },
  };
}

function redirect(location: string): HttpResponse {
  return { status: 302, headers: { location }, body: [] };
}

/** Not ready only while the process is draining; dependencies are just reported. */
async function readyPage({ readiness }: PagesDeps): Promise<HttpResponse> {
  const found = Object.entries(await readiness.dependencies());
  const parts = Object.fromEntries(found.map(([part, problem]) => [part, problem ?? 'ready']));
  if (!readiness.isDraining())
    return textResponse(200, 'application/json', JSON.stringify({ ready: true, parts }));
  const body = { ready: false, reason: 'stopping', parts };
  return textResponse(503, 'application/json', JSON.stringify(body));
}

async function docsResponse(deps: PagesDeps, request: HttpRequest): Promise<HttpResponse> {
  const { html } = docsPage(shownKey(deps, request));
  return respondAsset(request, await toPageAsset('text/html; charset=utf-8', html), {
    'content-security-policy': docsContentSecurityPolicy,
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  });
}

/** Null when the console has not been built. */
async function consolePage(deps: PagesDeps, request: HttpRequest): Promise<HttpResponse | null> {
  const providerUrl = deps.signIn?.beginUrl() ?? null;
  const page = await deps.console.render({ key: shownKey(deps, request), providerUrl });
  if (page === null) return null;
  return respondAsset(request, page, {
    'content-security-policy': consoleContentSecurityPolicy,
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  });
}

/** Without the console, GraphiQL shows an endpoint. */
async function consoleView(deps: PagesDeps, request: HttpRequest, path: string) {
  const response = await consolePage(deps, request);
  if (response !== null) return { name: 'console', response };
  const [, project, name] = ENDPOINT_PAGE.exec(path) ?? [];
  if (name === undefined) return null;
  const location = `${graphqlPath}?project=${project}&endpoint=${name}`;
  return { name: 'endpoint_page', response: redirect(location) };
}

async function consoleFile(deps: PagesDeps, request: HttpRequest, name: string) {
  const asset = await deps.console.asset(name);
  if (asset === null) return null;
  const caching = isHashed(name) ? { 'cache-control': 'private, max-age=31536000, immutable' } : {};
  return { name: 'console_file', response: respondAsset(request, asset, caching) };
}

const docsFiles = new Map<string, Promise<PageAsset>>();

async function docsFile(request: HttpRequest, name: string) {
  const asset = docsAssets().get(name);
  if (asset === undefined) return null;
  const file = docsFiles.get(name) ?? toPageAsset(asset.contentType, asset.bytes);
  docsFiles.set(name, file);
  return { name: 'docs_asset', response: respondAsset(request, await file) };
}

async function graphiqlAt(deps: PagesDeps, request: HttpRequest, { operation }: GraphQLTarget) {
  if (operation === 'graphql')
    return { name: graphqlPath, response: await graphiqlPage(deps, request, 'service') };
  return { name: 'project_graphiql', response: await graphiqlPage(deps, request, 'project') };
}

async function graphiqlPage(
  deps: PagesDeps,
  request: HttpRequest,
  subject: GraphiQLSubject,
): Promise<HttpResponse> {
  const page = await deps.graphiql.render(subject, shownKey(deps, request));
  return respondAsset(request, page, {
    'content-security-policy': graphiqlContentSecurityPolicy,
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  });
}

async function graphiqlFile(deps: PagesDeps, request: HttpRequest, name: string) {
  const asset = await deps.graphiql.asset(name);
  if (asset === null) return null;
  return { name: 'graphiql_file', response: respondAsset(request, asset) };
}

/** Only for a caller on this machine that uses a local host name, which protects the key from DNS rebinding. */
function shownKey(deps: PagesDeps, request: HttpRequest): string | null {
  return isLocal(request) ? deps.demoKey() : null;
}

const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;
const LOOPBACK_ADDRESS = /^(127\.|::1$|::ffff:127\.)/;

function isLocal(request: HttpRequest): boolean {
  return (
    !request.headers.has('origin') &&
    LOOPBACK_HOST.test(request.headers.get('host') ?? '') &&
    LOOPBACK_ADDRESS.test(request.remoteAddress ?? '')
  );
}
