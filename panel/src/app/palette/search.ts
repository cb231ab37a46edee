import { api, unwrap } from '../../api/client.js';
import type { Execution } from '../../api/entities.js';

const SHOWN = 5;
const SHOWN_SKRIPTS = 8;
/** Live runs among which those of a skript are looked for. */
const LIVE_RUNS = 100;
/** A part of the id of a run. */
const ID_PART = /^(?=.*[0-9])[0-9a-f-]{4,36}$/i;

export interface Named {
  id: string;
  name: string;
}

export interface Found {
  skripts: { id: string; title: string; category: string }[];
  runs: Execution[];
  schedules: (Named & { enabled: boolean; skript: Named })[];
  collections: { name: string; database: Named }[];
  workers: (Named & { status: string; may_restart: boolean })[];
  users: { id: string; username: string }[];
}

/** Returns the items of a list. A list that fails leaves the others as they are, so it counts as empty. */
const itemsOf = <T>(call: Parameters<typeof unwrap<{ items: T[] }>>[0]): Promise<T[]> =>
  unwrap(call).then(
    ({ items }) => items,
    () => [],
  );

async function collectionsWith(name: string, signal: AbortSignal): Promise<Found['collections']> {
  const databases = await itemsOf<Named>(
    api.GET('/joint-api/mongo-databases/list', { params: { query: { limit: SHOWN } }, signal }),
  );
  const found = await Promise.all(
    databases.map(async database => {
      const place = { path: { db_id: database.id }, query: { limit: SHOWN, name_contains: name } };
      const items = await itemsOf(api.GET('/joint-api/mongo-collections/{db_id}/list', { params: place, signal }));
      return items.map(collection => ({ name: collection.name, database: { id: database.id, name: database.name } }));
    }),
  );
  return found.flat().slice(0, SHOWN);
}

interface SearchOptions {
  isAdmin: boolean;
  /** True if the text belongs to a command: then all lists are asked, also without a text. */
  isCommand: boolean;
  signal: AbortSignal;
}

/** Finds things that have a text in their name, and runs that have it in their id. Without a text, only skripts. */
export async function search(text: string, { isAdmin, isCommand, signal }: SearchOptions): Promise<Found> {
  const query = { limit: SHOWN, name_contains: text };
  const isAsked = text !== '' || isCommand;
  const [{ items }, runs, schedules, collections, workers, users] = await Promise.all([
    unwrap(
      api.GET('/joint-api/skripts/list', {
        params: {
          query: {
            limit: SHOWN_SKRIPTS,
            sort: '-favourite,-updated_at',
            title_contains: text || undefined,
            select: 'title,category',
          },
        },
        signal,
      }),
    ),
    ID_PART.test(text)
      ? itemsOf(
          api.GET('/joint-api/skript-execution/list', {
            params: { query: { limit: SHOWN, id_contains: text.toLowerCase() } },
            signal,
          }),
        )
      : [],
    isAsked ? itemsOf(api.GET('/joint-api/schedules/list', { params: { query }, signal })) : [],
    isAsked ? collectionsWith(text, signal) : [],
    isAsked ? itemsOf(api.GET('/apps/workers/list', { params: { query }, signal })) : [],
    isAsked && isAdmin ? itemsOf(api.GET('/joint-api/users/list', { params: { query }, signal })) : [],
  ]);
  return { skripts: items as Found['skripts'], runs, schedules, collections, workers, users };
}

/** Finds the live runs of the skripts that have a text in their name. */
export async function searchLive(text: string, signal: AbortSignal): Promise<Execution[]> {
  const lists = await Promise.all(
    (['start', 'pause'] as const).map(action =>
      unwrap(api.GET('/joint-api/skript-execution/list', { params: { query: { action, limit: LIVE_RUNS } }, signal })),
    ),
  );
  return lists
    .flatMap(({ items }) => items)
    .filter(({ skript }) => skript.name.toLowerCase().includes(text.toLowerCase()));
}
