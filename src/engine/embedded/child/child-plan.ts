/** What the service tells its child in the first argument, before those of the engine. */
export interface ChildPlan {
  /** Whom to become; null: it stays who it is. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  /** Folders and the port that it may use; null: whatever its user may. */
  readonly confine: {
    readonly read: readonly string[];
    readonly readWrite: readonly string[];
    readonly port: number;
    /** One of them, with nothing in it. */
    readonly emptyFolder: string;
  } | null;
  /** Where the library is. Set by the child for its second life, which cannot look for it. */
  readonly library?: string;
}

/** Written by a child that could not be confined, for the service's log. */
export const notConfined = 'Landlock is not available';
