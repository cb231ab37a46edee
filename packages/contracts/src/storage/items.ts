/**
 * How a run has changed an item. `added`: no run had its key before. `changed`: it has other values. `gone`: the run did
 * not find it. `back`: the run found it again.
 */
export const CHANGE_KINDS = ['added', 'changed', 'gone', 'back'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/**
 * Whether the rows of a run have become items. `none`: it has no rows with a key, or did not end well. `waiting`: they
 * wait for the verdict, or for you if it is `broken`; or Trawl is merging them. `merged`: they have. `older`: a run with
 * the same input that started later was merged first. `failed`: Trawl has given up, because each attempt failed.
 */
export const MERGE_STATES = ['none', 'waiting', 'merged', 'older', 'failed'] as const;
export type MergeState = (typeof MERGE_STATES)[number];
