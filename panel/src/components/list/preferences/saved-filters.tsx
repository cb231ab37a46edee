import { Button, Group, Menu, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconBookmark } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import type { SavedFilter } from '../../../api/entities.js';
import { useAccount } from '../../../api/requests/get-account.js';
import { inReadingOrder } from '../../values/in-reading-order.js';
import { useSetPreferences } from './set-preferences.js';

/** As in the API. */
const MAX_NAME_CHARS = 60;

/** Parameters of the address that are no filter. `week` is the one that the scheduler shows. */
const NO_FILTERS = ['page', 'size', 'new', 'week'];

/** Returns the filters and the order in an address, in a fixed order of their names. */
function filtersIn(search: string): string {
  const params = new URLSearchParams(search);
  for (const name of NO_FILTERS) params.delete(name);
  params.sort();
  return params.toString();
}

function NameForm({ onSave }: { onSave: (name: string) => void }) {
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    modals.closeAll();
    onSave(name.trim());
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        label="Name"
        autoComplete="off"
        maxLength={MAX_NAME_CHARS}
        data-autofocus
        value={name}
        onChange={event => setName(event.currentTarget.value)}
      />
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={() => modals.closeAll()}>
          Cancel
        </Button>
        <Button type="submit" disabled={name.trim() === ''}>
          Save filter
        </Button>
      </Group>
    </form>
  );
}

/** Menu of the filters of a list that the user has saved. The filter that is in the address now can be saved or deleted. */
export function SavedFilters({ list }: { list: SavedFilter['list'] }) {
  const all = useAccount().data?.preferences?.saved_filters;
  const set = useSetPreferences();
  const { search } = useLocation();
  const [, setSearch] = useSearchParams();
  if (!all) return null;
  const filters = all.filter(filter => filter.list === list);
  const query = filtersIn(search);
  const current = filters.find(filter => filter.query === query);
  const save = (name: string) =>
    set.mutate({
      saved_filters: [...all.filter(filter => filter.list !== list || filter.name !== name), { list, name, query }],
    });
  const ask = () => modals.open({ title: 'Save this filter', children: <NameForm onSave={save} /> });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          className="saved-filters"
          variant={current ? 'light' : 'default'}
          leftSection={<IconBookmark size={16} aria-hidden />}
        >
          {current ? inReadingOrder(current.name) : 'Saved filters'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {filters.map(filter => (
          <Menu.Item
            key={filter.name}
            onClick={() => setSearch(filter.query)}
            aria-current={filter === current || undefined}
          >
            {inReadingOrder(filter.name)}
          </Menu.Item>
        ))}
        {filters.length > 0 && <Menu.Divider />}
        {current ? (
          <Menu.Item
            color="red"
            onClick={() => set.mutate({ saved_filters: all.filter(filter => filter !== current) })}
          >
            Delete “{inReadingOrder(current.name)}”
          </Menu.Item>
        ) : (
          // A menu whose items are all disabled has no focus, and without it Escape would not close the menu.
          <Menu.Item
            aria-disabled={query === '' || undefined}
            c={query === '' ? 'dimmed' : undefined}
            onClick={query === '' ? undefined : ask}
          >
            {query === '' ? 'Set a filter first, then save it here' : 'Save this filter…'}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
