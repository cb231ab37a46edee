/** The run whose storage a client uses. */
export interface CrawleeRun {
  id: string;
  /** Id of the first attempt. All attempts of a run share its default queue and its default values. */
  firstId: string;
  skriptId: string;
  /** Whether the run is on the user's own computer, where all runs have the same ids. */
  isLocal: boolean;
  /** JSON text; null without an input. */
  input: string | null;
  /** Maximum size of the output of the run as JSON. */
  outputBytes: number;
}

/** The name of the storage that a crawler uses if the skript names none. */
export const DEFAULT = 'default';

/** Returns an error about a call that Crawlee's interface has and Trawl does not. */
export const unsupported = (call: string, instead: string): Error =>
  new Error(`${call} does not work in Trawl. ${instead}`);

/** A page of a list, and all its items one after another. */
export type Listing<Page, Item> = Promise<Page> & AsyncIterable<Item>;

/** Makes a listing, as Crawlee expects it: `await` reads the first page, and `for await` all items. */
export const listing = <Page, Item>(
  page: () => Promise<Page>,
  items: () => AsyncGenerator<Item>,
): Listing<Page, Item> => ({
  // biome-ignore lint/suspicious/noThenProperty: only the calls that are made read something.
  then: (resolved, rejected) => page().then(resolved, rejected),
  catch: rejected => page().catch(rejected),
  finally: settled => page().finally(settled),
  [Symbol.toStringTag]: 'Promise',
  [Symbol.asyncIterator]: items,
});

/** What Crawlee asks about each storage. Trawl keeps no times of it. */
export function infoOf(id: string): { id: string; name: string; createdAt: Date; modifiedAt: Date; accessedAt: Date } {
  const now = new Date();
  return { id, name: id, createdAt: now, modifiedAt: now, accessedAt: now };
}
