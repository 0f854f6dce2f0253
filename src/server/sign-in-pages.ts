/**
 * HTTP routes for signing in to the console through an OpenID provider: two that a browser navigates to, and two that
 * the console posts to. Their cookies are accepted only here: the APIs only accept keys, so no other page can act in
 * the name of a signed-in person.
 */
import type { AccessDeps } from '../access/deps.ts';
import { endFormerSignIn, endSignIn, holdSignIn } from '../access/sign-in/hold-sign-in.ts';
import { openIdentityProvider } from '../access/sign-in/identity-provider.ts';
import {
  attemptSeconds,
  beginSignIn,
  completeSignIn,
  type SignInDeps,
} from '../access/sign-in/sign-in.ts';
import { SignInError, type SignInFailure } from '../access/sign-in/sign-in-error.ts';
import { isOutage, ServiceError } from '../errors/service-error.ts';
import { type Cookie, readCookie, writeCookie } from '../http/cookies.ts';
import { isJsonType, notJsonTypeMessage } from '../http/json-body.ts';
import { type HttpRequest, type HttpResponse, textResponse } from '../http/message.ts';
import { wrongMethodResponse } from '../http/wrong-method.ts';
import { openSealer } from '../lib/seal.ts';
import { openSingleFlight } from '../lib/single-flight.ts';

export interface SignInPages {
  /** URL where a browser starts. */
  beginUrl(): string;
  /** Null when the path is not one of these. */
  respond(
    request: HttpRequest,
  ): Promise<{ readonly name: string; readonly response: HttpResponse } | null>;
}

interface Context {
  readonly deps: SignInDeps;
  readonly publicUrl: () => string;
}

type Handler = (context: Context, request: HttpRequest) => Promise<HttpResponse>;

const beginPath = '/auth/sign-in';
const callbackPath = '/auth/callback';

/** Per path, the methods that it accepts. */
const routes: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  [beginPath]: { GET: begin, HEAD: previewBegin },
  [callbackPath]: { GET: complete, HEAD: previewComplete },
  '/auth/key': { POST: hold },
  '/auth/sign-out': { POST: signOut },
};

export function isSignInPath(path: string): boolean {
  return path.startsWith('/auth/');
}

/** Null without a provider in the settings. */
export function openSignInPages(core: AccessDeps, publicUrl: () => string): SignInPages | null {
  const { config, clock } = core;
  const sealer = openSealer(config.credentialsKey);
  if (config.oidcIssuer === '' || sealer === null) return null;
  const redirectUri = () => `${publicUrl()}${callbackPath}`;
  const provider = openIdentityProvider({ config, clock, redirectUri });
  const context: Context = {
    deps: { ...core, provider, sealer, holding: openSingleFlight() },
    publicUrl,
  };
  return {
    beginUrl: () => `${publicUrl()}${beginPath}`,
    async respond(request) {
      const { method } = request;
      const path = request.path.replace(/\/$/, '');
      const handlers = Object.hasOwn(routes, path) ? routes[path] : undefined;
      if (handlers === undefined) return null;
      const handle = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
      const response =
        handle === undefined
          ? wrongMethodResponse(method, [...Object.keys(handlers), 'OPTIONS'])
          : await handle(context, request);
      return { name: path.slice(1), response };
    },
  };
}

const neverStored = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

function redirect(location: string, cookies: readonly string[]): HttpResponse {
  return { status: 303, headers: { ...neverStored, location }, body: [], cookies };
}

function jsonResponse(value: unknown, cookies: readonly string[] = []): HttpResponse {
  const response = textResponse(200, 'application/json', JSON.stringify(value));
  return { ...response, headers: { ...response.headers, ...neverStored }, cookies };
}

function attemptCookie({ publicUrl }: Context, value: string): Cookie {
  const isSecure = publicUrl().startsWith('https:');
  const maxAgeSeconds = value === '' ? 0 : attemptSeconds;
  // Lax, because the browser returns from another site.
  return { name: 'querydock-attempt', value, maxAgeSeconds, sameSite: 'Lax', isSecure };
}

function sessionCookie({ deps, publicUrl }: Context, value: string): Cookie {
  const isSecure = publicUrl().startsWith('https:');
  const maxAgeSeconds = value === '' ? 0 : deps.config.oidcSessionMinutes * 60;
  return { name: 'querydock-session', value, maxAgeSeconds, sameSite: 'Strict', isSecure };
}

async function begin(context: Context, { headers, search }: HttpRequest): Promise<HttpResponse> {
  const query = new URLSearchParams(search);
  const to = pathOfConsole(query.get('to'));
  const formerSecret = readCookie(headers, sessionCookie(context, ''));
  const start = { to, again: query.has('again'), formerSecret };
  try {
    const { url, kept } = await beginSignIn(context.deps, start);
    return redirect(url, [writeCookie(attemptCookie(context, kept))]);
  } catch (error) {
    return redirect(failurePath(context, error), []);
  }
}

/** To HEAD: without the cookie, so that what is pending in the browser stays. */
async function previewBegin(context: Context, request: HttpRequest): Promise<HttpResponse> {
  return { ...(await begin(context, request)), cookies: [] };
}

const maxPath = 1500;

/** A view of the console; anything else, including every other host, becomes its start page. */
function pathOfConsole(to: string | null): string {
  const isView = to !== null && /^\/project\/[!-[\]-~]*$/.test(to) && to.length <= maxPath;
  return isView ? to : '/';
}

async function complete(context: Context, request: HttpRequest): Promise<HttpResponse> {
  const kept = readCookie(request.headers, attemptCookie(context, ''));
  try {
    const back = { kept, search: request.search };
    const { secret, to, former } = await completeSignIn(context.deps, back);
    if (former !== null) await endFormer(context, former);
    return redirect(to, [
      writeCookie(sessionCookie(context, secret)),
      writeCookie(attemptCookie(context, '')),
    ]);
  } catch (error) {
    // What returned does not belong to the attempt that the browser keeps: that one may still be completed.
    const isForeign = error instanceof SignInError && error.failure === 'not_begun';
    const cookies = isForeign ? [] : [writeCookie(attemptCookie(context, ''))];
    return redirect(failurePath(context, error), cookies);
  }
}

/** The new sign-in stands even if the former one could not be ended; its key expires by itself. */
async function endFormer({ deps }: Context, former: Uint8Array): Promise<void> {
  try {
    await endFormerSignIn(deps, former);
  } catch (error) {
    deps.log.warn({ err: error }, 'a former sign-in could not be ended');
  }
}

/** To HEAD, which must not use up the code in the URL. */
async function previewComplete(): Promise<HttpResponse> {
  return redirect('/', []);
}

/** Bounded, because part of the reason may come from the URL that the browser returned with. */
const maxReason = 300;

/** The console's page, which shows its own message; nothing that the provider sent is shown. */
function failurePath({ deps }: Context, error: unknown): string {
  const failure = failureOf(error);
  if (failure === null) throw error;
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, maxReason);
  deps.log.warn({ failure, reason }, 'a sign-in failed');
  return `/?sign-in=${failure}`;
}

function failureOf(error: unknown): SignInFailure | null {
  if (error instanceof SignInError) return error.failure;
  return isOutage(error) ? 'unavailable' : null;
}

/**
 * Throws for a request that does not come from a page of this service. A browser sends `Origin` with every POST, and no
 * page can change it or `Sec-Fetch-Site`.
 */
function requireOwnPage({ publicUrl }: Context, { headers }: HttpRequest): void {
  const site = headers.get('sec-fetch-site');
  const isOwn = headers.get('origin') === new URL(publicUrl()).origin;
  if (!isOwn || (site !== null && site !== 'same-origin'))
    throw new ServiceError(
      'permission_denied',
      'Only the console of this service is allowed to do this.',
    );
  if (!isJsonType(headers.get('content-type')))
    throw new ServiceError('unsupported_media_type', notJsonTypeMessage);
}

/** `{"key": null}` without a sign-in, because the page sends this request before it knows whether there is one. */
async function hold(context: Context, request: HttpRequest): Promise<HttpResponse> {
  requireOwnPage(context, request);
  const secret = readCookie(request.headers, sessionCookie(context, ''));
  if (secret === null) return jsonResponse({ key: null });
  const held = await holdSignIn(context.deps, secret);
  if (held === null) return jsonResponse({ key: null }, [writeCookie(sessionCookie(context, ''))]);
  const { key, expiresAt, endsAt } = held;
  return jsonResponse({ key, expires_at: expiresAt, ends_at: endsAt });
}

async function signOut(context: Context, request: HttpRequest): Promise<HttpResponse> {
  requireOwnPage(context, request);
  const secret = readCookie(request.headers, sessionCookie(context, ''));
  const returnTo = `${context.publicUrl()}/`;
  const url = secret === null ? null : await endSignIn(context.deps, secret, returnTo);
  return jsonResponse({ url }, [writeCookie(sessionCookie(context, ''))]);
}
