/** The OpenID provider of the settings: Authorization Code with PKCE, using a certified client library. */
import * as oidc from 'openid-client';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Claims } from './person.ts';
import { withSignInErrors } from './provider-errors.ts';
import { SignInError } from './sign-in-error.ts';

/** Identifies one sign-in attempt when the person returns. Secret. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The provider's verified response: signature, issuer, audience, times and nonce were checked. */
interface VerifiedIdentity {
  /** None is null. */
  readonly claims: Claims;
  /** Null when the provider issued no refresh token. */
  readonly refreshToken: string | null;
  readonly idToken: string | null;
}

/** All methods throw SignInError; `unavailable` when the provider does not respond or refuses this service. */
export interface IdentityProvider {
  /** The URL to send the person to. @param again requests a different account than the one signed in there. */
  begin(attempt: Attempt, options: { readonly again: boolean }): Promise<URL>;
  /** @param search query string of the URL with which the person returned. */
  complete(attempt: Attempt, search: string): Promise<VerifiedIdentity>;
  /** Refreshes the tokens. `not_accepted`: the person may no longer sign in. */
  renew(refreshToken: string, options: Renewing): Promise<VerifiedIdentity>;
  /** URL for signing out of the provider; null when it has none. */
  endSession(idToken: string | null, returnTo: string): Promise<string | null>;
}

interface Renewing {
  readonly subject: string;
  /**
   * Awaited before anything else, also before the other tokens are verified, for which the provider may have to be asked
   * for its keys: it accepts a refresh token once.
   */
  readonly keep: (refreshToken: string) => Promise<void>;
}

/** Null for what the provider did not replace. */
type NewTokens = Pick<VerifiedIdentity, 'refreshToken' | 'idToken'>;

export interface ProviderDeps {
  readonly config: Config;
  readonly clock: Clock;
  /** Exactly as registered at the provider. */
  readonly redirectUri: () => string;
}

export function newAttempt(): Attempt {
  return {
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
  };
}

/** Timeout of one request to the provider. */
const timeoutSeconds = 10;
/** How long the provider's metadata is cached. */
const discoveredMs = 3_600_000;
/** The library reads the keys again for a token of a new one, unless it has read them within this time. */
const keysSeconds = 60;

export function openIdentityProvider({
  config,
  clock,
  redirectUri,
}: ProviderDeps): IdentityProvider {
  let known: { readonly metadata: string; readonly until: number } | null = null;
  let keys: oidc.ExportedJWKSCache | null = null;

  async function discover(): Promise<oidc.Configuration> {
    const now = clock.now().getTime();
    if (known !== null && now >= known.until) known = null;
    const { provider, metadata } = await discovered(config, known?.metadata ?? null);
    known ??= { metadata, until: now + discoveredMs };
    return provider;
  }

  /** Verifies tokens, which the provider may have signed with a key from a moment ago. */
  function verify<T>(
    work: (provider: oidc.Configuration) => Promise<T>,
    responses: { readonly mayBeFault?: boolean } = {},
  ): Promise<T> {
    return withSignInErrors(async () => {
      const provider = await discover();
      if (keys !== null) oidc.setJwksCache(provider, keys);
      try {
        return await work(provider);
      } finally {
        const used = oidc.getJwksCache(provider);
        if (used !== undefined && used.uat !== keys?.uat)
          keys = { jwks: used.jwks, uat: used.uat - keysSeconds };
      }
    }, responses);
  }

  return {
    begin: ({ state, nonce, verifier }, { again }) =>
      withSignInErrors(async () => {
        const provider = await discover();
        return oidc.buildAuthorizationUrl(provider, {
          redirect_uri: redirectUri(),
          scope: config.oidcScopes,
          state,
          nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...promptFor(config, again),
        });
      }),
    complete: ({ state, nonce, verifier }, search) =>
      verify(async (provider) => {
        const url = new URL(redirectUri());
        url.search = search;
        const tokens = await oidc.authorizationCodeGrant(provider, url, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const { sub } = requireIdClaims(tokens);
        return readIdentity(provider, {
          tokens,
          subject: sub,
          groupsClaim: config.oidcGroupsClaim,
        });
      }),
    renew: (refreshToken, { subject, keep }) =>
      verify(
        async (provider) => {
          keepWhenSent(provider, keep);
          const tokens = await oidc.refreshTokenGrant(provider, refreshToken);
          const { oidcGroupsClaim: groupsClaim } = config;
          const found = await readIdentity(provider, { tokens, subject, groupsClaim });
          if (found.claims.sub !== subject)
            throw new SignInError('not_accepted', 'the tokens belong to another person');
          return found;
        },
        { mayBeFault: true },
      ),
    endSession: (idToken, returnTo) =>
      withSignInErrors(async () => {
        const provider = await discover();
        if (provider.serverMetadata().end_session_endpoint === undefined) return null;
        return oidc.buildEndSessionUrl(provider, {
          post_logout_redirect_uri: returnTo,
          ...(idToken === null ? {} : { id_token_hint: idToken }),
        }).href;
      }),
  };
}

/** OpenID Connect Core 11: `offline_access` is ignored without `consent`. */
function promptFor({ oidcScopes }: Config, again: boolean): { readonly prompt?: string } {
  const needsConsent = oidcScopes.split(' ').includes('offline_access');
  const prompts = [...(again ? ['login'] : []), ...(needsConsent ? ['consent'] : [])];
  return prompts.length === 0 ? {} : { prompt: prompts.join(' ') };
}

/**
 * One for each sign-in, since the library keeps keys by it. Known metadata goes through the library's discovery again,
 * which derives from it what some providers need: in Entra ID, the issuer depends on the tenant of a token.
 *
 * @param metadata the provider's, if it is known.
 */
async function discovered(
  { oidcIssuer, oidcClientId, oidcClientSecret }: Config,
  metadata: string | null,
): Promise<{ readonly provider: oidc.Configuration; readonly metadata: string }> {
  const issuer = new URL(oidcIssuer);
  const checks = [oidc.enableNonRepudiationChecks];
  // The settings allow http only for a provider on this machine.
  if (issuer.protocol === 'http:') checks.push(oidc.allowInsecureRequests);
  const authentication = oidcClientSecret === '' ? oidc.None() : bySecret(oidcClientSecret);
  let sent = metadata ?? '';
  const provider = await oidc.discovery(issuer, oidcClientId, {}, authentication, {
    execute: checks,
    timeout: timeoutSeconds,
    [oidc.customFetch]: async (url, options) => {
      if (metadata !== null) return Response.json(JSON.parse(metadata));
      const response = await fetch(url, options as RequestInit);
      sent = await response.text();
      return new Response(sent, response);
    },
  });
  provider[oidc.customFetch] = (url, options) => fetch(url, options as RequestInit);
  return { provider, metadata: sent };
}

/** Keeps a new refresh token as soon as the provider sends it. */
function keepWhenSent(provider: oidc.Configuration, keep: Renewing['keep']): void {
  const { token_endpoint: endpoint = '' } = provider.serverMetadata();
  provider[oidc.customFetch] = async (url, options) => {
    const response = await fetch(url, options as RequestInit);
    if (!response.ok || url !== new URL(endpoint).href) return response;
    const sent: unknown = await response
      .clone()
      .json()
      .catch(() => null);
    const { refresh_token: token } = Object(sent) as { readonly refresh_token?: unknown };
    if (typeof token === 'string' && token !== '') await keep(token);
    return response;
  };
}

/** Sends the secret in the header, the standard's default, unless the provider only accepts it in the body. */
function bySecret(secret: string): oidc.ClientAuth {
  const [inHeader, inBody] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const send = methods.includes('client_secret_basic') ? inHeader : inBody;
    return send(server, ...request);
  };
}

type Tokens = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;

function requireIdClaims(tokens: Tokens): oidc.IDToken {
  const claims = tokens.claims();
  if (claims === undefined) throw new SignInError('not_accepted', 'the response has no ID token');
  return claims;
}

interface TokenGrant {
  readonly tokens: Tokens;
  readonly subject: string;
  readonly groupsClaim: string;
}

/** Adds the userinfo response, unless the ID token already contains all needed claims. */
async function readIdentity(
  provider: oidc.Configuration,
  { tokens, subject, groupsClaim }: TokenGrant,
): Promise<VerifiedIdentity> {
  const inToken = sentClaims(tokens.claims() ?? {});
  const { issuer, userinfo_endpoint: userInfo } = provider.serverMetadata();
  const isAll = groupsClaim in inToken && 'email' in inToken;
  const elsewhere =
    isAll || userInfo === undefined
      ? {}
      : sentClaims(await oidc.fetchUserInfo(provider, tokens.access_token, subject));
  return { claims: { ...elsewhere, iss: issuer, ...inToken }, ...newTokens(tokens) };
}

function newTokens({ refresh_token: refreshToken, id_token: idToken }: Tokens): NewTokens {
  return { refreshToken: refreshToken ?? null, idToken: idToken ?? null };
}

/** Some providers send null for a claim that they do not have, which OpenID Connect Core 5.3.2 advises against. */
function sentClaims(claims: Claims): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null));
}
