/** A released OpenID provider on loopback, with accounts of the test's own. */
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { listenOn } from './listen-on.ts';

export interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly given_name?: string;
  readonly groups?: readonly string[];
}

export interface HeldRequest {
  /** Once it has come. */
  readonly arrived: Promise<void>;
  release(): void;
}

export interface ReleasedProvider {
  /** At another host name than the service, so that a browser takes it for another site. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** By the name that is typed in; whoever is taken away may not sign in any more, nor refresh. */
  readonly accounts: Map<string, Account>;
  /** Registers the service; before that nothing answers. */
  register(publicUrl: string): void;
  /** Answers nothing but 503 from then on, or serves again. @param path only that one; `/me` is the user info. */
  setAway(isAway: boolean, path?: string): void;
  /** The next request to the path waits for `release`; those after it do not. */
  holdNext(path: string): HeldRequest;
  close(): Promise<void>;
}

export async function openReleasedProvider(): Promise<ReleasedProvider> {
  const accounts = new Map<string, Account>();
  let serve: ReturnType<Provider['callback']> | null = null;
  let away: string | null = null;
  let hold: { readonly path: string; readonly until: () => Promise<void> } | null = null;
  const server = createServer(async (request, response) => {
    if (hold !== null && (request.url ?? '').startsWith(hold.path)) {
      const { until } = hold;
      hold = null;
      await until();
    }
    const isAway = away !== null && (request.url ?? '').startsWith(away);
    if (serve !== null && !isAway) serve(request, response);
    else response.writeHead(503).end();
  });
  const port = await listenOn(server);
  const issuer = `http://localhost:${port}`;
  const client = { clientId: 'querydock', clientSecret: 'a secret / of: the test & its client' };
  return {
    issuer,
    ...client,
    accounts,
    register(publicUrl) {
      serve = new Provider(issuer, configuration(client, publicUrl, accounts)).callback();
    },
    setAway(isAway, path = '/') {
      away = isAway ? path : null;
    },
    holdNext(path) {
      const come = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      hold = {
        path,
        until: () => {
          come.resolve();
          return released.promise;
        },
      };
      return { arrived: come.promise, release: () => released.resolve() };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function configuration(
  { clientId, clientSecret }: Pick<ReleasedProvider, 'clientId' | 'clientSecret'>,
  publicUrl: string,
  accounts: ReadonlyMap<string, Account>,
) {
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${publicUrl}/auth/callback`],
        post_logout_redirect_uris: [`${publicUrl}/`],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    cookies: { keys: ['of the test'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'groups'],
    },
    pkce: { required: () => true },
    // A refresh token that is used twice ends all of the sign-in.
    rotateRefreshToken: true,
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    findAccount(_context: unknown, id: string) {
      const account = accounts.get(id);
      if (account === undefined) return undefined;
      return { accountId: id, claims: () => ({ sub: id, ...account }) };
    },
  };
}
