import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { AllowList } from './allow-list.js';
import type { EgressFilter } from './egress.js';
import { probeRules } from './nftables-probe.js';
import { nftablesRules, tableOf, type UidRange } from './nftables-rules.js';

/** How often the worker looks up the names of the allow list again, and reads the machine's resolvers again. */
const REFRESH_MS = 60_000;
const MONITOR_RESTART_MS = 1_000;
const MAX_ATTEMPTS = 5;
const CHANGE = /^\s*(add|delete|insert|replace|destroy|flush|#)/;
/**
 * Shell script that runs `nft monitor` until the script's standard input closes. So the monitor ends when the worker
 * ends, even if the worker was killed.
 */
const MONITOR = '("$0" monitor; kill $$) & read -r gone; kill 0';

/** The command that removes the rules. */
export interface RemovalCommand {
  program: string;
  args: string[];
  environment: Record<string, string>;
}

export interface NftablesEgressOptions {
  /** Path and environment of the program nft. */
  nft: { path: string; environment: Record<string, string> };
  users: UidRange;
  allowList: AllowList;
  log: Logger;
  /** Receives the command that removes the rules after this process was killed; null when there are no rules. */
  onRemoval: (removal: RemovalCommand | null) => void;
  /** Called when something removed the rules and the worker cannot restore them, so that no run may continue. */
  onLost: (reason: string) => void;
}

/**
 * Filters egress with nftables rules by user id: runs share the machine's network and cannot reach private addresses.
 */
export class NftablesEgress implements EgressFilter {
  readonly kind = 'nftables';
  readonly sharesHostNetwork = true;
  readonly #options: NftablesEgressOptions;
  #rules = '';
  /** The worker's complete table of rules, as `nft list` printed it. */
  #listing = '';
  #monitor: ChildProcess | undefined;
  #refresh: NodeJS.Timeout | undefined;
  /** The last of the queued checks and changes of the rules. Only one of them runs at a time. */
  #queue: Promise<void> = Promise.resolve();
  #isOpen = false;

  constructor(options: NftablesEgressOptions) {
    this.#options = options;
  }

  networkArguments(): string[] {
    return [];
  }

  async open(): Promise<void> {
    const { nft, users, onRemoval } = this.#options;
    try {
      onRemoval({ program: nft.path, args: this.#removal, environment: nft.environment });
      await probeRules(users.first, port =>
        this.#enforce(nftablesRules(users, [{ network: '127.0.0.1/32', port }], [])),
      );
      await this.#enforce(await this.#buildRules());
    } catch (error) {
      await this.#remove();
      throw error;
    }
    this.#isOpen = true;
    this.#startMonitor();
    this.#refresh = setInterval(() => void this.#update(), REFRESH_MS).unref();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    clearInterval(this.#refresh);
    this.#monitor?.stdin?.end();
    await this.#queue;
    await this.#remove();
  }

  /** Builds the rules from the settings and the machine's current resolvers. */
  async #buildRules(): Promise<string> {
    const { allowList, users } = this.#options;
    await allowList.refresh();
    return nftablesRules(users, allowList.networks, await resolversOfMachine());
  }

  async #update(): Promise<void> {
    // Look up the names before the change enters the queue, because a slow resolver must not delay a check of the
    // rules.
    const rules = await this.#buildRules();
    this.#enqueue(async () => {
      if (rules !== this.#rules) await this.#enforce(rules);
    });
  }

  async #enforce(rules: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#nft(['-f', '-'], rules);
      try {
        this.#listing = await this.#list();
        this.#rules = rules;
        return;
      } catch (error) {
        // Listing the rules failed: another program has already removed them, for example a firewall that is being
        // loaded. Try again.
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  #list(): Promise<string> {
    return this.#nft(['list', 'table', 'inet', tableOf(this.#options.users)]);
  }

  get #removal(): string[] {
    return ['delete', 'table', 'inet', tableOf(this.#options.users)];
  }

  async #remove(): Promise<void> {
    // The command fails when there is no table.
    await this.#nft(this.#removal).catch(() => {});
    this.#options.onRemoval(null);
  }

  /** Watches for changes by other programs: a firewall that reloads usually removes all rules, the worker's too. */
  #startMonitor(): void {
    const { nft, users, log } = this.#options;
    const monitor = spawn('/bin/sh', ['-c', MONITOR, nft.path], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', ...nft.environment },
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#monitor = monitor;
    monitor.unref();
    const restart = () => {
      if (!this.#isOpen) return;
      this.#enqueue(() => this.#check());
      setTimeout(() => this.#isOpen && this.#startMonitor(), MONITOR_RESTART_MS).unref();
    };
    monitor.once('error', error => {
      log.error({ reason: String(error) }, 'nft monitor failed');
      restart();
    });
    monitor.once('exit', restart);
    monitor.stdin?.on('error', () => {}); // The `exit` event reports it.
    const table = tableOf(users);
    let isCheckQueued = false;
    createInterface({ input: monitor.stdout as Readable }).on('line', line => {
      // Check the rules if the line is about the worker's table. Also check them if the line does not describe a
      // change: the monitor has then missed changes.
      if (isCheckQueued || (CHANGE.test(line) && !line.includes(table))) return;
      isCheckQueued = true;
      this.#enqueue(() => {
        isCheckQueued = false;
        return this.#check();
      });
    });
  }

  async #check(): Promise<void> {
    const listing = await this.#list().catch(() => '');
    if (!this.#isOpen || listing === this.#listing) return;
    await this.#enforce(this.#rules);
    this.#options.log.error('another program changed the network rules of runs; rules restored');
  }

  #enqueue(act: () => Promise<void>): void {
    this.#queue = this.#queue.then(async () => {
      if (!this.#isOpen) return;
      await act().catch(error => this.#options.onLost(String(error)));
    });
  }

  #nft(args: string[], input = ''): Promise<string> {
    const { path, environment } = this.#options.nft;
    return new Promise((resolve, reject) => {
      const child = execFile(path, args, { env: environment, cwd: '/' }, (error, stdout, stderr) =>
        error ? reject(new Error(`nft ${args.join(' ')}: ${stderr.trim() || error.message}`)) : resolve(stdout),
      );
      child.stdin?.on('error', () => {}); // nft ended before it read everything; its exit code says why.
      child.stdin?.end(input);
    });
  }
}

/** Returns the resolvers of the C library. */
async function resolversOfMachine(): Promise<string[]> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
  const named = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address.split('%')[0] ?? '');
  const addresses = named.filter(address => isIP(address) !== 0);
  return addresses.length > 0 ? addresses : ['127.0.0.1'];
}
