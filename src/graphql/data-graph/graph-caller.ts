import { type Principal, requireProject, requireScope } from '../../access/principal.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { createContext, type GatewayContext, type GatewayDeps } from '../context.ts';
import type { GraphQLRequest } from '../trace.ts';

export interface Allowed {
  readonly principal: Principal;
  readonly projectId: number;
}

/** Authenticates and authorizes a request to a project's data graph. */
export class GraphCaller {
  readonly request: GraphQLRequest;
  /** As the caller wrote it: a number, or `@current`. */
  readonly project: string;
  readonly context: GatewayContext;
  #allowed: MaybePromise<Allowed> | undefined;

  constructor(gateway: GatewayDeps, request: GraphQLRequest, project: string) {
    this.request = request;
    this.project = project;
    this.context = createContext(gateway, {
      via: 'graphql',
      authorization: request.headers.get('authorization'),
      source: request,
      remoteAddress: request.remoteAddress,
    });
  }

  /** Checked once. Throws, or rejects with, the errors of `authenticate`, `requireScope` and `requireProject`. */
  allowed(): MaybePromise<Allowed> {
    this.#allowed ??= this.#check();
    return this.#allowed;
  }

  #check(): MaybePromise<Allowed> {
    try {
      const found = this.context.principal();
      if (!(found instanceof Promise)) return this.#allow(found);
      const checked = found.then((principal) => this.#allow(principal));
      checked.catch(() => undefined);
      return checked;
    } catch (error) {
      return rejected(error);
    }
  }

  #allow(principal: Principal): Allowed {
    requireScope(principal, 'endpoint:read');
    return { principal, projectId: requireProject(principal, this.project) };
  }
}

/** A rejection that may be handled later, or never. */
export function rejected(error: unknown): Promise<never> {
  const promise = Promise.reject<never>(error);
  promise.catch(() => undefined);
  return promise;
}
