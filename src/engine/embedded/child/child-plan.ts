/** The first argument of the child process, before those of the engine. */
export interface ChildPlan {
  /** The user to switch to; null: it keeps its user. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  /** The folders and the ports that it may use; null: whatever its user may. */
  readonly confine: {
    readonly read: readonly string[];
    readonly readWrite: readonly string[];
    readonly listen: readonly number[];
    /** None, unless it is a node of several. */
    readonly connect: readonly number[];
    /** One of the folders above, which is empty. */
    readonly emptyFolder: string;
  } | null;
  /** Path of the library. The child sets it when it replaces itself: once confined it cannot search for it. */
  readonly library?: string;
}

/** Printed by a child that could not be confined; the service logs a warning. */
export const notConfined = 'Landlock is not available';
