/** An OpenID provider of the test's own, which sends whatever tokens the test makes up. */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import { listenOn } from './listen-on.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface HostileProvider {
  readonly issuer: string;
  /** How the next request for tokens is answered. */
  answer(status: number, body: Json): void;
  /** Members of the description that differ from an honest one. */
  describe(more: Json): void;
  /** Signed with the key that the provider publishes. @param header members that differ. */
  sign(claims: Json, header?: Json): string;
  /** Publishes another key than before, by which it signs from now on. */
  rotate(): void;
  /** Whether its keys are not to be had. */
  hideKeys(isHidden: boolean): void;
  /** The same with a key that nobody published. */
  forge(claims: Json): string;
  /** What was asked for tokens, the newest last. */
  readonly asked: readonly URLSearchParams[];
  close(): Promise<void>;
}

export async function openHostileProvider(): Promise<HostileProvider> {
  let own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  let kid = 'one';
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const asked: URLSearchParams[] = [];
  let issuer = '';
  let more: Json = {};
  let areKeysHidden = false;
  let answer: { readonly status: number; readonly body: Json } = { status: 500, body: {} };
  const pages: Readonly<Record<string, () => unknown>> = {
    '/.well-known/openid-configuration': () => ({ ...description(issuer), ...more }),
    '/keys': () => ({
      keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }],
    }),
  };
  const server = createServer(async (request, response) => {
    const isHidden = areKeysHidden && request.url === '/keys';
    const page = isHidden ? undefined : pages[request.url ?? ''];
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const isToken = request.url === '/token';
    if (isToken) asked.push(new URLSearchParams(Buffer.concat(chunks).toString()));
    const status = isToken ? answer.status : page === undefined ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isToken ? answer.body : page?.()));
  });
  issuer = `http://localhost:${await listenOn(server)}`;
  return {
    issuer,
    asked,
    answer(status, body) {
      answer = { status, body };
    },
    describe(members) {
      more = members;
    },
    sign: (claims, header) => jwt(own.privateKey, claims, { kid, ...header }),
    rotate() {
      own = generateKeyPairSync('rsa', { modulusLength: 2048 });
      kid = `${kid}+`;
    },
    hideKeys(isHidden) {
      areKeysHidden = isHidden;
    },
    forge: (claims) => jwt(foreign.privateKey, claims),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function description(issuer: string): Json {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'none'],
    authorization_response_iss_parameter_supported: true,
  };
}

function jwt(key: KeyObject, claims: Json, header: Json = {}): string {
  const head = { alg: 'RS256', kid: 'one', typ: 'JWT', ...header };
  const text = [head, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  if (head.alg === 'none') return `${text}.`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
}
