import { inReadingOrder } from '../components/values/in-reading-order.js';
import '@mantine/spotlight/styles.layer.css';
import { useDebouncedValue } from '@mantine/hooks';
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from '@mantine/spotlight';
import { IconFileCode, IconHistory, IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useSkripts } from '../api/requests/list-skripts.js';
import { useIsAdmin } from '../session/use-is-admin.js';
import { SECTIONS } from './sections.js';

const TYPING_PAUSE_MS = 200;
const SHOWN_SKRIPTS = 8;
const RUN_ID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

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

/** Finds screens, skripts and runs by their id. It opens as soon as its code has loaded, and then on Ctrl K. */
export default function CommandPalette() {
  const navigate = useNavigate();
  const { role = '' } = useParams();
  const isAdmin = useIsAdmin();
  const [query, setQuery] = useState('');
  const [settled] = useDebouncedValue(query.trim(), TYPING_PAUSE_MS);
  const skripts = useSkripts({ limit: SHOWN_SKRIPTS, sort: '-updated_at', title_contains: settled || undefined });
  useEffect(() => openPalette(), []);

  // The previous hits would be wrong: Enter would open a skript that the user has not searched for.
  const isSearching = skripts.isPlaceholderData || settled !== query.trim();

  const to = (path: string) => () => void navigate(`/${role}/${path}`);
  const screens: SpotlightActionData[] = SECTIONS.filter(({ forAdmins }) => isAdmin || !forAdmins)
    .filter(({ title }) => title.toLowerCase().includes(query.trim().toLowerCase()))
    .map(({ slug, title, Icon }) => ({
      id: `screen ${slug}`,
      label: title,
      leftSection: <Icon size={18} stroke={1.7} aria-hidden />,
      onClick: to(slug),
    }));
  const runs: SpotlightActionData[] = RUN_ID.test(query.trim())
    ? [
        {
          id: 'run',
          label: `Open the run ${query.trim()}`,
          leftSection: <IconHistory size={18} stroke={1.7} aria-hidden />,
          onClick: to(`skript-executions/${query.trim().toLowerCase()}`),
        },
      ]
    : [];
  const found: SpotlightActionData[] = (isSearching ? [] : (skripts.data?.items ?? [])).map(
    ({ id, title, category }) => ({
      id: `skript ${id}`,
      label: inReadingOrder(title),
      description: inReadingOrder(category),
      leftSection: <IconFileCode size={18} stroke={1.7} aria-hidden />,
      onClick: to(`skripts/${id}`),
    }),
  );
  const groups: SpotlightActionGroupData[] = [
    { group: 'Runs', actions: runs },
    { group: 'Skripts', actions: found },
    { group: 'Screens', actions: screens },
  ].filter(({ actions }) => actions.length > 0);

  const shown = groups.flatMap(({ actions }) => actions.map(({ id }) => id)).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other hits move the selection to the first.
  useEffect(selectFirst, [shown]);

  return (
    <Spotlight
      store={store}
      actions={groups}
      query={query}
      onQueryChange={setQuery}
      // The server has searched the skripts, and the rest is filtered above.
      filter={(_query, actions) => actions}
      shortcut="mod + K"
      scrollable
      maxHeight={420}
      nothingFound={isSearching || skripts.isFetching ? 'Searching…' : 'No skript, screen or run has this name or ID'}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: 'Skript, screen, or the ID of a run',
        'aria-label': 'Search skripts, screens and runs',
      }}
    />
  );
}
