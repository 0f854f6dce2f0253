/** The origin of a write. `service`: the service itself, when it sets up a demo. */
export const actorInterfaces = ['rest', 'graphql', 'command line', 'service'] as const;

type ActorInterface = (typeof actorInterfaces)[number];

/** Who made a write, as recorded in the audit log. */
export interface Actor {
  readonly via: ActorInterface;
  /** Null for actors without a key: the command line on the service's machine, and the service. */
  readonly keyId: string | null;
  /** The owner of the key. */
  readonly userId: number | null;
  /** The request it was part of, as in its `x-request-id` header. */
  readonly requestId: string | null;
}

const keyless = { keyId: null, userId: null, requestId: null } as const;

export const commandLineActor: Actor = { via: 'command line', ...keyless };
export const serviceActor: Actor = { via: 'service', ...keyless };
