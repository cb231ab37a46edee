import { join } from 'node:path';
import type { Logger } from 'pino';
import { BLOCK_SIZE, type UserBlock } from '../executor/user-block.js';
import type { Watchdog } from '../watchdog.js';
import { type AllowedEntry, AllowList } from './allow-list.js';
import type { Egress } from './egress.js';
import { NftablesEgress, type NftablesEgressOptions } from './nftables-egress.js';
import { ProxyEgress } from './proxy-egress.js';

export interface EgressChoice {
  /** The user ids of runs; null where they have the worker's. */
  users: UserBlock | null;
  /** Whether runs are to be in sandboxes, which may have a network of their own. */
  sandboxes: boolean;
  /** The worker's own. */
  folder: string;
  allowed: AllowedEntry[];
  /** Finds the program nft; throws an Error that says how to get it. */
  findNft: () => Promise<NftablesEgressOptions['nft']>;
  watchdog: Watchdog;
  log: Logger;
  /** The worker can no longer hold runs to it: none may go on. */
  lost: (reason: string) => void;
}

/** The first way that holds on this machine, open, and what to say of it; null where none does. */
export async function chooseEgress(choice: EgressChoice): Promise<{ way: Egress | null; note: string }> {
  const { users, sandboxes, folder, allowed, findNft, watchdog, log, lost } = choice;
  const allowList = new AllowList(allowed, (name, reason) =>
    log.warn({ name, reason }, 'a name in TRAWL_EGRESS_ALLOW could not be looked up'),
  );
  let problem = 'Rules of the kernel need root on Linux.';
  if (users) {
    try {
      const range = { first: users.uidOf(0), last: users.uidOf(BLOCK_SIZE - 1) };
      const egress = new NftablesEgress({
        nft: await findNft(),
        users: range,
        allowList,
        log,
        inForce: removal => watchdog.rules(removal && { ...removal, claim: users.name }),
        lost,
      });
      await egress.open();
      return { way: egress, note: 'Rules of the kernel by user id (nftables).' };
    } catch (error) {
      problem = String(error);
    }
  }
  if (!sandboxes) {
    return { way: null, note: `Runs reach what this machine reaches. ${problem}` };
  }
  const uidOf = users && ((place: number) => users.uidOf(place));
  const proxy = new ProxyEgress({ folder: join(folder, 'egress'), places: BLOCK_SIZE, uidOf, allowList, log });
  try {
    await proxy.open();
    log.info({ nftables: problem }, 'runs have a network of their own and a proxy');
    return { way: proxy, note: 'A network of its own for each run, and a proxy of the worker (TCP only).' };
  } catch (error) {
    return { way: null, note: `Runs reach what this machine reaches. ${problem} ${String(error)}` };
  }
}
