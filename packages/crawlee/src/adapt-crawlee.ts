import { followTasks, type TasksOfCrawlee } from './request-of-task.js';
import type { CrawleeRun } from './run.js';
import { TrawlStorageClient } from './storage-client.js';

/** An object of Crawlee's class `Configuration`. */
interface Configuration {
  get(key: string): unknown;
  getStorageClient(): unknown;
  /** The storages that the configuration has opened. */
  storageManagers?: { clear(): void };
}

/** The module `@crawlee/core`. */
export interface CrawleeCore extends TasksOfCrawlee {
  Configuration?: { prototype: Configuration };
}

let client: { runId: string; client: TrawlStorageClient } | undefined;

/**
 * Makes all configurations of Crawlee use the storage of the run, unless the skript has chosen another storage client, or
 * storage in memory with `persistStorage: false`.
 *
 * @param run returns the current run. A warm process serves one after another.
 */
export function adaptCrawlee(core: CrawleeCore, run: () => CrawleeRun): void {
  const prototype = core.Configuration?.prototype;
  if (typeof prototype?.getStorageClient !== 'function') return;
  followTasks(core);
  const { getStorageClient } = prototype;
  const runs = new WeakMap<Configuration, string>();
  prototype.getStorageClient = function (this: Configuration) {
    if (this.get('storageClient') || isInMemory(this)) return getStorageClient.call(this);
    const current = run();
    const earlier = runs.get(this);
    // The storages that the configuration has opened belong to the run before.
    if (earlier !== undefined && earlier !== current.id) this.storageManagers?.clear();
    runs.set(this, current.id);
    return clientOf(current);
  };
}

/**
 * Deletes the default queue of a run that has ended well, and returns the value of `OUTPUT` in its default store. Returns
 * null if the run has not used Crawlee's storage.
 */
export function finishCrawlee(runId: string): Promise<unknown> | null {
  return client?.runId === runId ? client.client.finish() : null;
}

/** Returns the last message of a run about its state; undefined if there is none. */
export const statusOf = (runId: string): string | undefined =>
  client?.runId === runId ? client.client.status : undefined;

function clientOf(run: CrawleeRun): TrawlStorageClient {
  if (client?.runId !== run.id) client = { runId: run.id, client: new TrawlStorageClient(run) };
  return client.client;
}

function isInMemory(configuration: Configuration): boolean {
  const options = configuration.get('storageClientOptions') as { persistStorage?: boolean } | undefined;
  return (options?.persistStorage ?? configuration.get('persistStorage')) === false;
}
