/** Where a write came from. The service itself writes when it sets up a demo. */
export const actorInterfaces = ['rest', 'graphql', 'command line', 'service'] as const;

export type ActorInterface = (typeof actorInterfaces)[number];

/** Who did something, as the audit log tells it. */
export interface Actor {
  readonly via: ActorInterface;
  /** Null for whoever needs no key: the command line on the service's machine, and the service. */
  readonly keyId: string | null;
  /** Whose key it is. */
  readonly userId: number | null;
  /** The request that it was part of, as answered in `x-request-id`. */
  readonly requestId: string | null;
}

const keyless = { keyId: null, userId: null, requestId: null } as const;

export const commandLineActor: Actor = { via: 'command line', ...keyless };
export const serviceActor: Actor = { via: 'service', ...keyless };
