/**
 * Journal of table changes on a multi-node engine: changes in progress, and changes that a node has missed. Shared by
 * all processes of the service.
 */

export type ChangeKind = 'replace' | 'append' | 'drop';

export interface TableChange {
  readonly id: string;
  readonly projectId: number;
  readonly table: string;
  readonly kind: ChangeKind;
}

/** The part of a change on one node. */
export interface NodeChange {
  readonly node: string;
  /** The hidden table with the new rows; null if there is none on this node. */
  readonly staging: string | null;
}

/** A change that is neither finished nor undone. */
export interface OpenChange extends TableChange {
  readonly nodes: readonly NodeChange[];
}

/** A table that differs on a node from its state on the others. */
export interface MissedTable {
  readonly projectId: number;
  readonly table: string;
  readonly node: string;
  /** The last change the node has missed. */
  readonly changeId: string;
  /** Whether the table was dropped on the others. */
  readonly isDropped: boolean;
}

export interface NodeJournal {
  /** Nodes that have missed a change and may hold wrong data. */
  behind(): Promise<readonly string[]>;
  /**
   * Call before the first node is changed. A table has one change at a time, which is claimed for `CLAIM_MS` from
   * here and from each renewal. Returns the nodes that may carry it out, without those that missed an earlier change
   * of the table; null while another change is in progress.
   */
  begin(change: TableChange, nodes: readonly NodeChange[]): Promise<readonly string[] | null>;
  /** False if another process has taken it over. */
  renew(changeId: string): Promise<boolean>;
  /**
   * Records the change as missed by all other nodes and raises the project's data revision. Its other consequences
   * are recorded by the process that began it, or here if another process finishes it. False if it was taken over.
   */
  finish(
    change: TableChange,
    done: readonly string[],
    by: 'its process' | 'another process',
  ): Promise<boolean>;
  /**
   * Declares that no node has the change, except `unknown` ones, which are recorded as having missed that the table
   * is unchanged or, with `isDropped`, absent.
   */
  undo(
    change: TableChange,
    unknown: { readonly nodes: readonly string[]; readonly isDropped: boolean },
  ): Promise<void>;
  /** Takes over changes that their processes no longer renew. */
  takeAbandoned(): Promise<readonly OpenChange[]>;
  /** Claims, for `CLAIM_MS`, tables that these nodes have missed and that nobody else is restoring. */
  takeMissed(nodes: readonly string[]): Promise<readonly MissedTable[]>;
  /** The nodes on which the table may be wrong. */
  without(table: Pick<MissedTable, 'projectId' | 'table'>): Promise<readonly string[]>;
  /** False if the table was changed again or another process has taken it over. */
  renewMissed(missed: MissedTable): Promise<boolean>;
  /** Records that the node's table matches the others; false if it was changed again meanwhile. */
  caughtUp(missed: MissedTable): Promise<boolean>;
  /** Releases a table that could not be restored, so that it can be tried again. */
  release(missed: MissedTable): Promise<void>;
}

/** Validity of the claim on a change without renewal. */
export const CLAIM_MS = 60_000;
