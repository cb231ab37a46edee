import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { NetworkRules } from '../watchdog-line.js';
import type { AllowList } from './allow-list.js';
import type { Egress } from './egress.js';
import { probeRules } from './nftables-probe.js';
import { nftablesRules, tableOf, type Users } from './nftables-rules.js';

/** Names in the allow list and resolvers of the machine are looked up again so often. */
const REFRESH_MS = 60_000;
const MONITOR_AGAIN_MS = 1_000;
const MAX_ATTEMPTS = 5;
const CHANGE = /^\s*(add|delete|insert|replace|destroy|flush|#)/;
/** What standard input is for: nft ends with the worker, however that ends. */
const MONITOR = '("$0" monitor; kill $$) & read -r gone; kill 0';

export interface NftablesEgressOptions {
  /** The program nft, and the environment that it needs. */
  nft: { path: string; environment: Record<string, string> };
  users: Users;
  allowList: AllowList;
  log: Logger;
  /** Told of what takes the rules away again when this process cannot; null when they are gone. */
  inForce: (removal: Pick<NetworkRules, 'program' | 'args' | 'environment'> | null) => void;
  /** The rules were removed and could not be put back: no run may go on. */
  lost: (reason: string) => void;
}

/** Rules of the kernel by user id: a run has the machine's network and is refused what is private, however it gets there. */
export class NftablesEgress implements Egress {
  readonly how = 'nftables';
  readonly sharesHostNetwork = true;
  readonly #options: NftablesEgressOptions;
  #rules = '';
  /** The table as nft shows it when it is whole. */
  #shown = '';
  #monitor: ChildProcess | undefined;
  #refresh: NodeJS.Timeout | undefined;
  /** One look or change after the other. */
  #last: Promise<void> = Promise.resolve();
  #isOpen = false;

  constructor(options: NftablesEgressOptions) {
    this.#options = options;
  }

  networkArguments(): string[] {
    return [];
  }

  async open(): Promise<void> {
    const { nft, users, inForce } = this.#options;
    try {
      inForce({ program: nft.path, args: this.#removal, environment: nft.environment });
      await probeRules(users.first, port =>
        this.#enforce(nftablesRules(users, [{ network: '127.0.0.1/32', port }], [])),
      );
      await this.#enforce(await this.#wanted());
    } catch (error) {
      await this.#remove();
      throw error;
    }
    this.#isOpen = true;
    this.#watch();
    this.#refresh = setInterval(() => void this.#adopt(), REFRESH_MS).unref();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    clearInterval(this.#refresh);
    this.#monitor?.stdin?.end();
    await this.#last;
    await this.#remove();
  }

  /** The rules that settings and machine ask for now. */
  async #wanted(): Promise<string> {
    const { allowList, users } = this.#options;
    await allowList.refresh();
    return nftablesRules(users, allowList.networks, await resolversOfMachine());
  }

  async #adopt(): Promise<void> {
    // Before its turn: a slow resolver is not to hold up a look at the rules.
    const rules = await this.#wanted();
    this.#next(async () => {
      if (rules !== this.#rules) await this.#enforce(rules);
    });
  }

  async #enforce(rules: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#nft(['-f', '-'], rules);
      try {
        this.#shown = await this.#show();
        this.#rules = rules;
        return;
      } catch (error) {
        // Something else removed them at once, as a firewall that is being loaded does.
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  #show(): Promise<string> {
    return this.#nft(['list', 'table', 'inet', tableOf(this.#options.users)]);
  }

  get #removal(): string[] {
    return ['delete', 'table', 'inet', tableOf(this.#options.users)];
  }

  async #remove(): Promise<void> {
    // Nothing to remove when nothing was put in.
    await this.#nft(this.#removal).catch(() => {});
    this.#options.inForce(null);
  }

  /** A firewall that is loaded anew usually removes all rules first, ours too. */
  #watch(): void {
    const { nft, users, log } = this.#options;
    const monitor = spawn('/bin/sh', ['-c', MONITOR, nft.path], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', ...nft.environment },
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#monitor = monitor;
    monitor.unref();
    const again = () => {
      if (!this.#isOpen) return;
      this.#next(() => this.#look());
      setTimeout(() => this.#isOpen && this.#watch(), MONITOR_AGAIN_MS).unref();
    };
    monitor.once('error', error => {
      log.error({ reason: String(error) }, 'changes of the network rules cannot be watched');
      again();
    });
    monitor.once('exit', again);
    monitor.stdin?.on('error', () => {}); // its exit says so
    const table = tableOf(users);
    let isToLook = false;
    createInterface({ input: monitor.stdout as Readable }).on('line', line => {
      // What is no change of a table says that changes were missed.
      if (isToLook || (CHANGE.test(line) && !line.includes(table))) return;
      isToLook = true;
      this.#next(() => {
        isToLook = false;
        return this.#look();
      });
    });
  }

  async #look(): Promise<void> {
    const shown = await this.#show().catch(() => '');
    if (!this.#isOpen || shown === this.#shown) return;
    await this.#enforce(this.#rules);
    this.#options.log.error(
      'the network rules of runs were removed or changed by something else; they are in force again',
    );
  }

  #next(act: () => Promise<void>): void {
    this.#last = this.#last.then(async () => {
      if (!this.#isOpen) return;
      await act().catch(error => this.#options.lost(String(error)));
    });
  }

  #nft(args: string[], input = ''): Promise<string> {
    const { path, environment } = this.#options.nft;
    return new Promise((resolve, reject) => {
      const child = execFile(path, args, { env: environment, cwd: '/' }, (error, stdout, stderr) =>
        error ? reject(new Error(`nft ${args.join(' ')}: ${stderr.trim() || error.message}`)) : resolve(stdout),
      );
      child.stdin?.on('error', () => {}); // it ended before it read all; its exit code says why
      child.stdin?.end(input);
    });
  }
}

/** Where the resolver of the C library asks. */
async function resolversOfMachine(): Promise<string[]> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
  const named = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address.split('%')[0] ?? '');
  const addresses = named.filter(address => isIP(address) !== 0);
  return addresses.length > 0 ? addresses : ['127.0.0.1'];
}
