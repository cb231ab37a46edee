import type { Logger } from 'pino';
import type { UserBlock } from '../process/user-block.js';
import { type AllowedEntry, AllowList } from './allow-list.js';
import { type ChosenEgress, UNFILTERED } from './egress.js';
import { NftablesEgress, type NftablesEgressOptions, type RemovalCommand } from './nftables-egress.js';
import { openProxy } from './open-proxy.js';
import { PROXY_SLOTS } from './proxy-egress.js';

export interface EgressOptions {
  /** The user ids that runs get; null when runs have the worker's own user id. */
  users: UserBlock | null;
  /** Whether runs get sandboxes, which can have their own network. */
  sandboxes: boolean;
  /** The worker's own folder. */
  folder: string;
  allowed: AllowedEntry[];
  /** Finds the program nft; throws an Error that says how to install it. */
  findNft: () => Promise<NftablesEgressOptions['nft']>;
  /**
   * Receives the command that removes the rules after this process was killed; null when there are no rules. `claim`
   * names the socket that reserves the user ids: the command must not run if another worker has reserved them in the
   * meantime, because the rules are then those of the other worker.
   */
  onRemoval: (removal: (RemovalCommand & { claim: string }) | null) => void;
  log: Logger;
  /** Called when the filter stops working. No run may continue then. */
  onLost: (reason: string) => void;
}

/** Chooses and opens an egress filter that works on this machine: nftables if possible, else the proxy. */
export async function chooseEgress(options: EgressOptions): Promise<ChosenEgress> {
  const { users, sandboxes, folder, allowed, findNft, onRemoval, log, onLost } = options;
  const allowList = new AllowList(allowed, (name, reason) =>
    log.warn({ name, reason }, 'lookup of a name in TRAWL_EGRESS_ALLOW failed'),
  );
  let problem = 'nftables rules need root on Linux.';
  if (users) {
    try {
      const range = { first: users.uidOf(0), last: users.uidOf(users.size - 1) };
      const egress = new NftablesEgress({
        nft: await findNft(),
        users: range,
        allowList,
        log,
        onRemoval: removal => onRemoval(removal && { ...removal, claim: users.name }),
        onLost,
      });
      await egress.open();
      return { filter: egress, note: 'Kernel rules by user id (nftables).' };
    } catch (error) {
      problem = String(error);
    }
  }
  if (!sandboxes) {
    return { filter: null, note: `${UNFILTERED} ${problem}` };
  }
  const proxy = await openProxy({ users, folder, slots: PROXY_SLOTS, allowList, log });
  if (proxy.filter) log.info({ nftables: problem }, 'egress proxy chosen');
  return proxy.filter ? proxy : { filter: null, note: `${proxy.note} ${problem}` };
}
