import { join } from 'node:path';
import type { Logger } from 'pino';
import type { UserBlock } from '../process/user-block.js';
import type { AllowList } from './allow-list.js';
import { type ChosenEgress, UNFILTERED } from './egress.js';
import { ProxyEgress } from './proxy-egress.js';

export interface ProxyOptions {
  /** The user ids that runs get; null when runs have the worker's own user id. */
  users: UserBlock | null;
  /** The worker's own folder. */
  folder: string;
  /** Number of slots. */
  slots: number;
  allowList: AllowList;
  log: Logger;
}

/** Opens the proxy for runs in sandboxes. If it does not start, the note says why. */
export async function openProxy({ users, folder, slots, allowList, log }: ProxyOptions): Promise<ChosenEgress> {
  const uidOf = users && ((slotIndex: number) => users.uidOf(slotIndex));
  const proxy = new ProxyEgress({ folder: join(folder, 'egress'), slots, uidOf, allowList, log });
  try {
    await proxy.open();
    return { filter: proxy, note: 'Each run has its own network and a proxy of the worker (TCP only).' };
  } catch (error) {
    return { filter: null, note: `${UNFILTERED} ${String(error)}` };
  }
}
