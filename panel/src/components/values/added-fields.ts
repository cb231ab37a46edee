/** Fields that `dataset.push` adds, and that say nothing about the row itself. */
export const ADDED_FIELDS: readonly string[] = ['_id', '_run', '_key', '_first', '_attempt', '_at'];
