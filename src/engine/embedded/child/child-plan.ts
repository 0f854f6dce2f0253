/** The first argument of the child process, before those of the engine. */
export interface ChildPlan {
  /** The user to switch to; null keeps the current one. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  /** The folders and ports that it may use; null allows whatever its user may. */
  readonly confine: {
    readonly read: readonly string[];
    readonly readWrite: readonly string[];
    readonly listen: readonly number[];
    /** Empty unless it is one of several nodes. */
    readonly connect: readonly number[];
    /** One of the folders above, which is empty. */
    readonly emptyFolder: string;
  } | null;
  /**
   * Path of the library. The child sets it when it re-executes itself, because once confined it cannot search for it.
   */
  readonly library?: string;
}

/** Printed by a child that could not be confined; the service logs a warning. */
export const notConfined = 'Landlock is not available';
