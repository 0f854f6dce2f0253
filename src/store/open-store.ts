import { toMetadataError } from './prisma-errors.ts';

type Operations = Readonly<Record<string, (deps: never, ...args: never[]) => Promise<unknown>>>;

/** The operations as methods, without their first parameter, which is bound. */
export type Store<Of extends Operations> = {
  readonly [Name in keyof Of]: Of[Name] extends (deps: never, ...args: infer Args) => infer Result
    ? (...args: Args) => Result
    : never;
};

/** Binds the operations of a store to their dependencies. An unreachable database becomes `service_unavailable`. */
export function openStore<Deps, Of extends Operations>(
  deps: Deps,
  operations: Of & Readonly<Record<string, (deps: Deps, ...args: never[]) => Promise<unknown>>>,
): Store<Of> {
  const methods = Object.entries(operations).map(([name, operation]) => {
    const method = async (...args: never[]): Promise<unknown> => {
      try {
        return await operation(deps, ...args);
      } catch (error) {
        throw toMetadataError(error);
      }
    };
    return [name, method];
  });
  return Object.fromEntries(methods) as Store<Of>;
}
