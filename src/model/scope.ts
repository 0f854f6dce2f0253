/** What a key may do. */
export const scopes = ['endpoint:read', 'endpoint:write', 'data:write', 'admin'] as const;

export type Scope = (typeof scopes)[number];

const implied = {
  'endpoint:read': ['endpoint:read'],
  'endpoint:write': ['endpoint:read', 'endpoint:write'],
  'data:write': ['data:write'],
  admin: scopes,
} as const satisfies Record<Scope, readonly Scope[]>;

export function isScope(text: string): text is Scope {
  return scopes.some((scope) => scope === text);
}

/** Whether a key that holds `held` may do what requires `wanted`. */
export function implies(held: Scope, wanted: Scope): boolean {
  const all: readonly Scope[] = implied[held];
  return all.includes(wanted);
}

/** The same for all scopes of a key. */
export function hasScope(held: readonly Scope[], wanted: Scope): boolean {
  return held.some((scope) => implies(scope, wanted));
}
