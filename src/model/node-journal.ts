/**
 * Changes of projects' tables on an engine of several nodes: those under way, and those that a node has missed. All processes of the
 * service see the same.
 */

export type ChangeKind = 'replace' | 'append' | 'drop';

export interface TableChange {
  readonly id: string;
  readonly projectId: number;
  readonly table: string;
  readonly kind: ChangeKind;
}

/** What a change is on one node. */
export interface NodeChange {
  readonly node: string;
  /** Of the hidden table that has the new rows; null: it has none there. */
  readonly staging: string | null;
}

/** A change that is neither finished nor undone. */
export interface OpenChange extends TableChange {
  readonly nodes: readonly NodeChange[];
}

/** A table that a node has not got as the others have it. */
export interface MissedTable {
  readonly projectId: number;
  readonly table: string;
  readonly node: string;
  /** Of the last change that it has missed. */
  readonly changeId: string;
  /** Whether the table is gone on the others. */
  readonly isDropped: boolean;
}

export interface NodeJournal {
  /** The nodes that have missed something: what they have may be wrong. */
  behind(): Promise<readonly string[]>;
  /**
   * Before the first node is changed: one change of a table at a time, which counts as under way for `CLAIM_MS` from here and from each
   * renewal. Returns the nodes that may carry it out, without those that have missed an earlier one of the table; null while another
   * one is under way.
   */
  begin(change: TableChange, nodes: readonly NodeChange[]): Promise<readonly string[] | null>;
  /** False when another process has taken it over. */
  renew(changeId: string): Promise<boolean>;
  /**
   * The others have missed it. Raises the data revision of the project; what else follows from the change is recorded by the process that
   * began it, or here when another one finishes it. False when it was taken over.
   */
  finish(
    change: TableChange,
    done: readonly string[],
    by: 'its process' | 'another process',
  ): Promise<boolean>;
  /** No node has it, but for those of which that is not known: they have missed that the table is as before, or not there. */
  undo(
    change: TableChange,
    unknown: { readonly nodes: readonly string[]; readonly isDropped: boolean },
  ): Promise<void>;
  /** Takes over the changes whose processes no longer renew them. */
  takeAbandoned(): Promise<readonly OpenChange[]>;
  /** Tables that these nodes have missed and that nobody brings up to date; the caller does from here, for `CLAIM_MS`. */
  takeMissed(nodes: readonly string[]): Promise<readonly MissedTable[]>;
  /** The nodes on which the table may be wrong. */
  without(table: Pick<MissedTable, 'projectId' | 'table'>): Promise<readonly string[]>;
  /** False when the table has been changed again, or another process has taken it over. */
  renewMissed(missed: MissedTable): Promise<boolean>;
  /** The node has the table as the others do, unless it was changed again meanwhile: then false. */
  caughtUp(missed: MissedTable): Promise<boolean>;
  /** It could not be brought up to date: another try may begin. */
  release(missed: MissedTable): Promise<void>;
}

/** How long work on a change counts as going on that is not renewed. */
export const CLAIM_MS = 60_000;
