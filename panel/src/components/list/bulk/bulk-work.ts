import { messageOf } from '../../../api/api-error.js';

/** Calls that run at the same time, so that the others of the account still get their share. */
const CALLS_AT_ONCE = 4;

export interface BulkFailure<T> {
  item: T;
  message: string;
}

/** Changes items, and returns those that it could not change. */
export type BulkWork<T> = (items: readonly T[]) => Promise<BulkFailure<T>[]>;

/** Returns the work that calls `send` for each item. Its failures are in the order of the items. */
export const each =
  <T>(send: (item: T) => Promise<unknown>): BulkWork<T> =>
  async items => {
    const failures = new Map<T, BulkFailure<T>>();
    const waiting = items.values();
    const work = async () => {
      for (const item of waiting)
        await send(item).catch(error => failures.set(item, { item, message: messageOf(error) }));
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
    return items.flatMap(item => failures.get(item) ?? []);
  };
