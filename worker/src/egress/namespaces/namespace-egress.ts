import { networkInterfaces } from 'node:os';
import { isPrivate } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { UserBlock } from '../../process/user-block.js';
import type { AllowList } from '../allow-list.js';
import type { EgressFilter, SlotNetwork } from '../egress.js';
import { readExceptions, type WantedExceptions } from './exceptions.js';
import { MAX_NETWORK_SLOTS, NetworkBlock } from './network-block.js';
import {
  leftBlocksScript,
  type NetworkPrograms,
  namespaceFile,
  probeScript,
  quote,
  removalScript,
  routerScript,
  ruleCommand,
  slotsScript,
} from './network-commands.js';
import { probeNetwork } from './network-probe.js';
import { hostRules, routerRules, slotRules } from './network-rules.js';
import { RelayHelper } from './relay-helper.js';
import type { RelayedTarget } from './relay-messages.js';
import { runScript } from './run-script.js';

/** How often the worker looks up the names of the allow list again, and reads the machine's resolvers again. */
const REFRESH_MS = 60_000;
/** How often the worker checks that the host still has its rules: a firewall that reloads removes them. */
const CHECK_MS = 10_000;
/** Slots whose networks are created together, because each script takes a few milliseconds to start. */
const CHUNK = 8;

/** A program and the environment that it needs. */
interface Tool {
  path: string;
  environment: Record<string, string>;
}

/** The command that removes all networks after this process was killed. */
export interface RemovalCommand {
  program: string;
  args: string[];
  environment: Record<string, string>;
  /** The socket that claims the networks. If another process has claimed it, the networks are those of that process. */
  claim: string;
}

export interface NamespaceEgressOptions {
  tools: Record<'ip' | 'nft' | 'nsenter', Tool>;
  users: UserBlock;
  allowList: AllowList;
  /** Path of the file that names the machine's resolvers. */
  resolvConf: string;
  /** File with the code of the relay's process. */
  relayScript: URL;
  log: Logger;
  /** Receives the command that removes the networks after this process was killed; null when there are none. */
  onRemoval: (removal: RemovalCommand | null) => void;
}

/**
 * Gives each slot a network namespace: its own addresses, ports and loopback. A router, which is a namespace too, stands
 * between the slots and the host. Its rules refuse private addresses. No other program changes them.
 */
export class NamespaceEgress implements EgressFilter {
  readonly kind = 'namespaces';
  readonly #options: NamespaceEgressOptions;
  readonly #programs: NetworkPrograms;
  readonly #relay: RelayHelper;
  /** The networks of each chunk of slots, as far as they were requested. */
  readonly #chunks = new Map<number, Promise<void>>();
  readonly #slots: number[] = [];
  #block: NetworkBlock | undefined;
  #relayed: RelayedTarget[] = [];
  #host = '';
  #router = '';
  #slot: string | null = null;
  readonly #timers: NodeJS.Timeout[] = [];
  /** The last of the queued changes. Only one of them runs at a time. */
  #queue: Promise<void> = Promise.resolve();
  #isOpen = false;

  constructor(options: NamespaceEgressOptions) {
    this.#options = options;
    const { ip, nft, nsenter } = options.tools;
    this.#programs = { ip: commandOf(ip), nft: commandOf(nft), nsenter: commandOf(nsenter) };
    this.#relay = new RelayHelper(options.relayScript, options.log, () => this.#enqueue(() => this.#refresh()));
  }

  networkArguments(): string[] {
    return [];
  }

  async prepare(slotIndex: number): Promise<SlotNetwork> {
    const { users, tools } = this.#options;
    const first = slotIndex - (slotIndex % CHUNK);
    const known = this.#chunks.get(first);
    const chunk = known ?? this.#serialize(() => this.#createSlots(first));
    if (!known) this.#chunks.set(first, chunk);
    try {
      await chunk;
    } catch (error) {
      if (this.#chunks.get(first) === chunk) this.#chunks.delete(first);
      throw error;
    }
    const uid = String(users.uidOf(slotIndex));
    const file = namespaceFile(this.#claimed.slot(slotIndex));
    return { file, command: [tools.nsenter.path, `--net=${file}`, '--setuid', uid, '--setgid', uid, '--'] };
  }

  async open(): Promise<void> {
    if (addressesOf('IPv4').length === 0 && addressesOf('IPv6').length > 0) {
      throw new Error('This machine has no IPv4 address, and the networks of runs have no IPv6.');
    }
    const block = await NetworkBlock.claim();
    if (!block) throw new Error('All blocks of network addresses of this machine are taken.');
    this.#block = block;
    try {
      await this.#removeLeftOvers();
      const removal = removalScript(this.#programs, block);
      const { claim } = block;
      this.#options.onRemoval({ program: '/bin/sh', args: ['-c', removal], environment: { PATH }, claim });
      await this.#run(routerScript(this.#programs, block));
      await this.#options.allowList.refresh();
      await this.#refresh();
      // Probe after the first refresh, so that the probe's slots get their rules when they are created.
      await this.#probe();
      await this.#refresh();
    } catch (error) {
      await this.#remove();
      throw error;
    }
    this.#isOpen = true;
    this.#timers.push(
      setInterval(() => void this.#lookUpAgain(), REFRESH_MS).unref(),
      setInterval(() => this.#enqueue(() => this.#check()), CHECK_MS).unref(),
    );
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#queue;
    await this.#remove();
  }

  get #claimed(): NetworkBlock {
    if (!this.#block) throw new Error('The networks of runs are closed.');
    return this.#block;
  }

  async #createSlots(first: number): Promise<void> {
    const { users } = this.#options;
    const end = Math.min(first + CHUNK, users.size, MAX_NETWORK_SLOTS);
    const slots = Array.from({ length: end - first }, (_, n) => first + n);
    try {
      await this.#run(slotsScript(this.#programs, this.#claimed, slots, this.#slot));
    } catch (error) {
      // Remove what the script has created, so that it can be tried again.
      const names = slots.map(slot => `netns delete ${this.#claimed.slot(slot)}`);
      await runScript(`printf '%s\\n' ${names.map(quote).join(' ')} | ${this.#programs.ip} -force -batch - || true`);
      throw error;
    }
    this.#slots.push(...slots);
  }

  /** Checks that the kernel applies the rules and that no firewall of the machine stops the packets of runs. */
  async #probe(): Promise<void> {
    const block = this.#claimed;
    await this.#run(probeScript(this.#programs, block));
    await probeNetwork({
      block,
      enter: (await this.prepare(0)).command,
      enforce: exceptions => this.#enforce({ ...exceptions, resolvers: [], relayed: [] }),
    });
    await this.#run(
      `${this.#programs.ip} link delete ${block.probe}\n${this.#programs.ip} netns delete ${block.probe}`,
    );
  }

  /** Applies the settings and the machine's current resolvers and addresses. */
  async #refresh(): Promise<void> {
    const wanted: WantedExceptions = await readExceptions(this.#options.allowList, this.#options.resolvConf);
    const { hostAddress } = this.#claimed;
    this.#relayed = await this.#relay.relay(hostAddress, wanted.targets);
    await this.#enforce({ ...wanted, relayed: this.#relayed });
    const slot = this.#relayed.length > 0 ? slotRules(hostAddress, this.#relayed) : null;
    if (slot === this.#slot) return;
    this.#slot = slot;
    const rules = slot ?? slotRules(hostAddress, []);
    const commands = this.#slots.map(n => ruleCommand(this.#programs, this.#claimed.slot(n), rules));
    await this.#run(commands.join('\n'));
  }

  async #enforce(exceptions: Omit<WantedExceptions, 'targets'> & { relayed: RelayedTarget[] }): Promise<void> {
    const { name, hostAddress, network, router: namespace } = this.#claimed;
    const host = hostRules({ ...exceptions, name, hostAddress, network });
    const router = routerRules({ ...exceptions, hostAddress, ownAddresses: publicAddresses() });
    if (host === this.#host && router === this.#router) return;
    await this.#run(
      [ruleCommand(this.#programs, null, host), ruleCommand(this.#programs, namespace, router)].join('\n'),
    );
    this.#host = host;
    this.#router = router;
  }

  async #lookUpAgain(): Promise<void> {
    // Look up the names before the change enters the queue, because a slow resolver must not delay new slots.
    await this.#options.allowList.refresh();
    this.#enqueue(() => this.#refresh());
  }

  async #check(): Promise<void> {
    const { name } = this.#claimed;
    const { nft } = this.#programs;
    const left = await runScript(`${nft} list table inet ${name} >/dev/null 2>&1 && echo left || true`);
    if (left.includes('left')) return;
    await this.#run(ruleCommand(this.#programs, null, this.#host));
    this.#options.log.error('another program removed the network rules of runs; rules restored');
  }

  #enqueue(act: () => Promise<void>): void {
    void this.#serialize(async () => {
      if (this.#isOpen) await act();
    }).catch(error => this.#options.log.error({ reason: String(error) }, 'failed to change the network rules of runs'));
  }

  #serialize(act: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(act);
    this.#queue = done.catch(() => {}); // The caller handles the error.
    return done;
  }

  /** Removes the networks of workers that were killed together with their watchdogs. */
  async #removeLeftOvers(): Promise<void> {
    const own = this.#claimed;
    const indexes = (await this.#run(leftBlocksScript(this.#programs))).split('\n').filter(Boolean).map(Number);
    for (const index of indexes) {
      const block = index === own.index ? own : await NetworkBlock.claimIndex(index);
      if (!block) continue;
      await this.#run(`${removalScript(this.#programs, block)}\ntrue`, false);
      if (block !== own) block.release();
    }
  }

  async #remove(): Promise<void> {
    await this.#relay.close();
    const block = this.#claimed;
    await this.#run(`${removalScript(this.#programs, block)}\ntrue`, false);
    this.#options.onRemoval(null);
    this.#block = undefined;
    block.release();
  }

  #run(script: string, stopsAtErrors = true): Promise<string> {
    return runScript(stopsAtErrors ? `set -e\n${script}` : script);
  }
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function commandOf({ path, environment }: Tool): string {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${quote(value)} `);
  return variables.length > 0 ? `env ${variables.join('')}${quote(path)}` : quote(path);
}

/** Returns the machine's IPv4 addresses that the table of private networks does not contain. */
function publicAddresses(): string[] {
  return addressesOf('IPv4').filter(address => !isPrivate(address));
}

/** Returns the addresses of the machine that do not belong to its loopback. */
function addressesOf(wanted: 'IPv4' | 'IPv6'): string[] {
  const all = Object.values(networkInterfaces()).flatMap(list => list ?? []);
  return all.filter(({ family, internal }) => family === wanted && !internal).map(({ address }) => address);
}
