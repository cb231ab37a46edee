import { existsSync, readdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clearLockOfCrashedServer } from '../postgres/server-process.js';
import { groupPrefix, ServerGroup } from '../system/server-group.js';
import { Cluster } from './cluster.js';
import { CLUSTER_NAME, type ClusterOptions } from './cluster-options.js';
import { ClusterTemplate, NEW } from './cluster-template.js';
import type { SharedServer } from './shared-server.js';

/** Servers without connections that stay awake. The one that has waited longest stops. */
const MAX_IDLE = 32;
const SWEEP_MS = 5_000;

/** A folder that is being deleted has this ending. */
const DROPPED = '.dropped';

/** The servers of all accounts. */
export class Clusters {
  readonly #clusters = new Map<string, Cluster>();
  readonly #creating = new Map<string, Promise<void>>();
  readonly #template: ClusterTemplate;
  readonly #sweep: NodeJS.Timeout;
  #lastPort = 0;

  constructor(
    private readonly options: ClusterOptions,
    private readonly shared: SharedServer | undefined,
  ) {
    this.#template = new ClusterTemplate(options);
    this.#sweep = setInterval(() => void this.#stopIdle(), Math.min(SWEEP_MS, options.idleMs));
  }

  /** Ends servers that a killed host has left behind, and deletes what it was creating or deleting. */
  async tidy(): Promise<void> {
    const names = readdirSync(this.options.root);
    const unfinished = names.filter(one => one.endsWith(DROPPED) || one.endsWith(NEW));
    await Promise.all(unfinished.map(name => this.#remove(join(this.options.root, name))));
    const clusters = names.filter(name => CLUSTER_NAME.test(name)).map(name => join(this.options.root, name));
    await Promise.all(
      clusters
        .filter(folder => existsSync(join(folder, 'postmaster.pid')))
        .map(folder => clearLockOfCrashedServer(folder, () => false)),
    );
    ServerGroup.tidy(groupPrefix(this.options.root));
  }

  /** Makes in advance what the next new account needs. If that fails, its call tries again. */
  prepare(): void {
    this.#template.prepare().catch(error => this.options.log.write(`${(error as Error).message}\n`));
  }

  /** Returns the server of an account; undefined if it has none. Moves it from the shared server of earlier versions. */
  async find(name: string): Promise<Cluster | undefined> {
    if (!CLUSTER_NAME.test(name)) return undefined;
    const known = this.#clusters.get(name);
    if (known) return known;
    if (this.shared?.has(name)) await this.#once(name, async () => this.shared?.move(name));
    await this.#creating.get(name);
    if (!existsSync(this.#folderOf(name))) return undefined;
    return this.#add(name);
  }

  /** Creates the server of an account unless it exists. */
  async create(name: string): Promise<void> {
    if (await this.find(name)) return;
    await this.#once(name, async () => {
      const folder = this.#folderOf(name);
      if (!existsSync(folder)) await this.#template.moveTo(folder);
    });
    this.prepare();
  }

  /** Stops the server of an account and deletes its data. */
  async drop(name: string): Promise<void> {
    if (!CLUSTER_NAME.test(name)) return;
    await this.#once(name, async () => {
      const cluster = this.#clusters.get(name);
      this.#clusters.delete(name);
      await cluster?.sleep();
      this.shared?.forget(name);
      const folder = this.#folderOf(name);
      if (existsSync(folder)) renameSync(folder, folder + DROPPED);
      await this.#remove(folder + DROPPED);
    });
  }

  /** Names of all accounts that have a server. */
  names(): string[] {
    const here = readdirSync(this.options.root).filter(name => CLUSTER_NAME.test(name));
    return [...new Set([...here, ...(this.shared?.names() ?? [])])].sort();
  }

  awake(): Cluster[] {
    return [...this.#clusters.values()].filter(cluster => cluster.isAwake);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.allSettled([...this.#creating.values(), this.#template.ended()]);
    await Promise.all([...this.#clusters.values()].map(cluster => cluster.sleep()));
  }

  #folderOf(name: string): string {
    return join(this.options.root, name);
  }

  #add(name: string): Cluster {
    const known = this.#clusters.get(name);
    if (known) return known;
    this.#lastPort = (this.#lastPort % 65_535) + 1;
    const cluster = new Cluster(name, this.#folderOf(name), this.#lastPort, this.options);
    this.#clusters.set(name, cluster);
    return cluster;
  }

  /** Executes work on the folder of an account after other work on it. */
  async #once(name: string, work: () => Promise<void>): Promise<void> {
    for (let other = this.#creating.get(name); other; other = this.#creating.get(name)) await other.catch(() => {});
    const working = work();
    this.#creating.set(name, working);
    try {
      await working;
    } finally {
      this.#creating.delete(name);
    }
  }

  async #remove(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true });
  }

  async #stopIdle(): Promise<void> {
    const idle = this.awake()
      .filter(({ connections }) => connections === 0)
      .sort((a, b) => a.idleSince - b.idleSince);
    const tooMany = idle.length - MAX_IDLE;
    const due = idle.filter(
      ({ idleSince }, at) => at < tooMany || performance.now() - idleSince >= this.options.idleMs,
    );
    await Promise.all(due.map(cluster => cluster.sleep(() => cluster.connections === 0)));
  }
}
