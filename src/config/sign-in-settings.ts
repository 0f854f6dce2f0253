/** Sign-in to the console through OpenID Connect. */
import { z } from 'zod';
import { parsePlainJson } from '../lib/plain-json.ts';
import { type Setting, setting, trueOrFalse, urlOf, wholeNumber } from './setting.ts';

const rule = z.strictObject({
  /** One value of the groups claim, compared exactly. */
  group: z.string().min(1),
  scopes: z.array(z.enum(['endpoint:read', 'endpoint:write', 'data:write', 'admin'])).min(1),
  /** Ids; empty for an administrator's key. */
  projects: z.array(z.int().positive()).default([]),
});

/** The scopes and projects of a group's members. */
export type SignInRule = Readonly<z.infer<typeof rule>>;

const rules = z.string().transform((text, context): readonly SignInRule[] => {
  if (text === '') return [];
  const found = z.array(rule).safeParse(parsePlainJson(text));
  if (found.success && found.data.every(isForSomething)) return found.data;
  context.addIssue(
    'is not a list like [{"group":"analysts","scopes":["endpoint:read"],"projects":[1]}]',
  );
  return z.NEVER;
});

function isForSomething({ projects, scopes }: SignInRule): boolean {
  return projects.length > 0 || scopes.includes('admin');
}

const text = z.string();

export const signInSettings = {
  oidcIssuer: setting<string>(
    'OIDC_ISSUER',
    'URL',
    '',
    urlOf('https:', 'http:'),
    'The OpenID provider for signing in to the console. Empty: sign-in by key only.',
  ),
  oidcClientId: setting<string>(
    'OIDC_CLIENT_ID',
    'text',
    '',
    text,
    'The client that is registered with the provider for this service.',
  ),
  oidcClientSecret: {
    ...setting<string>(
      'OIDC_CLIENT_SECRET',
      'text',
      '',
      text,
      'The secret of that client. Empty for a public client.',
    ),
    isSecret: true,
  },
  oidcScopes: setting<string>(
    'OIDC_SCOPES',
    'space-separated names',
    'openid email profile',
    text.regex(/^(?:\S+ )*openid(?: \S+)*$/, 'is not a list that includes openid'),
    'The scopes requested from the provider. Most need offline_access to issue a refresh token, which later checks use.',
  ),
  oidcGroupsClaim: setting<string>(
    'OIDC_GROUPS_CLAIM',
    'name of a claim',
    'groups',
    text.min(1, 'is empty'),
    'The claim, a string or a list of strings, that OIDC_RULES match.',
  ),
  oidcRules: {
    ...setting<readonly SignInRule[]>(
      'OIDC_RULES',
      'JSON',
      [],
      rules,
      'Which group may do what in which projects. The first matching rule decides.',
    ),
    mayHaveBlanks: true,
  },
  oidcCheckMinutes: setting<number>(
    'OIDC_CHECK_MINUTES',
    'minutes',
    10,
    wholeNumber(1, 1440),
    'How long a sign-in is valid until it is checked with the provider again, using a refresh token.',
  ),
  oidcSessionMinutes: setting<number>(
    'OIDC_SESSION_MINUTES',
    'minutes',
    480,
    wholeNumber(1, 43_200),
    'How long a sign-in lasts in total.',
  ),
  oidcProviderLogout: setting<boolean>(
    'OIDC_PROVIDER_LOGOUT',
    'true or false',
    true,
    trueOrFalse,
    'Whether signing out of the console also signs out at the provider, if it supports that.',
  ),
} as const;

type SettingValue<S> = S extends Setting<infer T> ? T : never;
type SignInConfig = {
  readonly [K in keyof typeof signInSettings]: SettingValue<(typeof signInSettings)[K]>;
} & { readonly credentialsKey: string; readonly publicUrl: string; readonly host: string };

/** Contradictions between the settings: one line each. */
export function signInProblems(config: SignInConfig): readonly string[] {
  const { oidcIssuer, oidcClientId, oidcRules, credentialsKey, publicUrl, host } = config;
  if (oidcIssuer === '') {
    const isMeant = oidcClientId !== '' || config.oidcClientSecret !== '' || oidcRules.length > 0;
    return isMeant ? ['OIDC_ISSUER is empty, so the other OIDC_ settings have no effect.'] : [];
  }
  const checks = [
    [isSafe(oidcIssuer), 'OIDC_ISSUER is not an https:// URL.'],
    [oidcClientId !== '', 'OIDC_ISSUER needs OIDC_CLIENT_ID.'],
    [oidcRules.length > 0, 'OIDC_ISSUER needs OIDC_RULES: without a rule nobody has any rights.'],
    [credentialsKey !== '', 'OIDC_ISSUER needs CREDENTIALS_KEY, which encrypts sign-ins.'],
    [
      publicUrl === '' ? isLoopback(host) : isSafe(publicUrl),
      'OIDC_ISSUER needs an https:// URL in PUBLIC_URL, to which the provider redirects people.',
    ],
    [
      publicUrl === '' || new URL(publicUrl).pathname === '/',
      'OIDC_ISSUER needs a PUBLIC_URL without a path: the console is only at the root of a host.',
    ],
  ] as const;
  return checks.flatMap(([isMet, problem]) => (isMet ? [] : [problem]));
}

/** Encrypted, or never leaving this machine. */
function isSafe(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopback(hostname);
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
}
