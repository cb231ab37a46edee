import '@mantine/spotlight/styles.layer.css';
import { useDebouncedValue } from '@mantine/hooks';
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
  useSpotlight,
} from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useIsAdmin } from '../../session/use-is-admin.js';
import { commandHits, findHits } from './hits.js';
import { search, searchLive } from './search.js';
import { useCommands } from './use-commands.js';
import { commandIn } from './verbs.js';

const TYPING_PAUSE_MS = 200;
const NOTHING = { skripts: [], runs: [], schedules: [], collections: [], workers: [], users: [] };

const [store, opener] = createSpotlight();

/** Opens the palette, once its code has loaded. */
export const openPalette = opener.open;

/**
 * Selects the first hit, which Enter opens. Mantine selects it only when the text changes: the hits of the server come
 * later.
 */
function selectFirst(): void {
  const list = document.getElementById(store.getState().listId);
  list?.querySelector('[data-selected]')?.removeAttribute('data-selected');
  list?.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  store.updateState(state => ({ ...state, selected: 0 }));
}

/**
 * Finds skripts, runs, schedules, collections, workers, users and screens, and does things to them: `run books` runs the
 * skript. It opens as soon as its code has loaded, and then on Ctrl K.
 */
export default function CommandPalette() {
  const isAdmin = useIsAdmin();
  const { opened } = useSpotlight(store);
  const [query, setQuery] = useState('');
  const [settled] = useDebouncedValue(query.trimStart(), TYPING_PAUSE_MS);
  const commands = useCommands();
  useEffect(() => openPalette(), []);

  const { verb, name } = commandIn(settled);
  const isLive = verb === 'pause' || verb === 'resume' || verb === 'stop';
  const found = useQuery({
    queryKey: ['palette', name, verb, isAdmin],
    queryFn: async ({ signal }) => ({
      ...(await search(name, { isAdmin, isCommand: verb !== null, signal })),
      ...(isLive ? { runs: await searchLive(name, signal) } : {}),
    }),
    enabled: opened,
    staleTime: 0,
    placeholderData: keepPreviousData,
  });

  // The previous hits would be wrong: Enter would open a skript that the user has not searched for.
  const isSearching = found.isPlaceholderData || settled !== query.trimStart();
  const hits = isSearching ? NOTHING : (found.data ?? NOTHING);
  const groups: SpotlightActionGroupData[] = (
    verb ? commandHits(verb, hits, commands) : findHits(query.trim(), hits, { ...commands, isAdmin, type: setQuery })
  ).filter(({ actions }) => actions.length > 0);

  const shown = groups.flatMap(({ actions }) => (actions as SpotlightActionData[]).map(({ id }) => id)).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other hits move the selection to the first.
  useEffect(selectFirst, [shown]);

  return (
    <Spotlight
      store={store}
      actions={groups}
      query={query}
      onQueryChange={setQuery}
      // The server has searched, and the rest is filtered already.
      filter={(_query, actions) => actions}
      shortcut="mod + K"
      // The field keeps its place while the number of hits changes. A blur would delay each key on slow machines.
      centered={false}
      yOffset="12vh"
      overlayProps={{ blur: 0 }}
      scrollable
      maxHeight={440}
      nothingFound={
        isSearching || found.isFetching
          ? 'Searching…'
          : found.isError
            ? 'Trawl did not answer. Try again.'
            : 'Nothing has this name or ID'
      }
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: 'Name, run ID, or a command such as “run books”',
        'aria-label': 'Search, or type a command',
      }}
    />
  );
}
