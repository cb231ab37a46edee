import { Autocomplete, SimpleGrid } from '@mantine/core';
import { useRef } from 'react';
import { useCollections } from '../../api/requests/storage/list-collections.js';
import { useDatabases } from '../../api/requests/storage/list-databases.js';
import { inReadingOrder } from '../values/in-reading-order.js';
import { useCollectionTitles } from './collection-titles.js';
import { failedProps, keepForm, SearchSelect } from './search-select.js';

/** The API lists at most so many at once; an account has far fewer. */
const CHOICES = 1_000;
const SHOWN = 100;

interface CollectionSelectProps {
  databaseId: string;
  onDatabase: (databaseId: string) => void;
  collection: string;
  onCollection: (collection: string) => void;
  /** True to accept the name of a collection that does not exist yet. */
  canBeNew?: boolean;
  databaseError?: React.ReactNode;
  collectionError?: React.ReactNode;
}

interface CollectionFieldProps {
  names: readonly string[];
  value: string;
  onChange: (name: string) => void;
  source: ReturnType<typeof useCollections>;
  error: React.ReactNode;
}

function ExistingCollection({ names, value, onChange, source, error }: CollectionFieldProps) {
  const titleOf = useCollectionTitles(names);
  const choiceOf = (name: string) => ({ value: name, label: titleOf(name) });
  return (
    <SearchSelect
      label="Collection"
      placeholder="Choose a collection"
      nothingFoundMessage="No such collection"
      limit={SHOWN}
      choices={names.map(choiceOf)}
      chosen={value === '' ? undefined : choiceOf(value)}
      value={value || null}
      onChange={name => onChange(name ?? '')}
      source={source}
      error={error}
    />
  );
}

/** Accepts any name. Typing replaces the name of an existing collection, and changes a new name. */
function AnyCollection({ names, value, onChange, source, error }: CollectionFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const isExisting = names.includes(value);
  const selectExisting = () => isExisting && input.current?.select();
  return (
    <Autocomplete
      ref={input}
      label="Collection"
      description="It is created if it does not exist."
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={[...names]}
      renderOption={({ option }) => <span>{inReadingOrder(option.value)}</span>}
      // A search for the chosen name itself would hide all other names.
      filter={isExisting ? ({ options, limit }) => options.slice(0, limit) : undefined}
      limit={SHOWN}
      value={value}
      onChange={onChange}
      onFocus={selectExisting}
      onClick={selectExisting}
      // Mantine writes the name into the field after this event.
      onOptionSubmit={() => setTimeout(() => input.current?.select())}
      onKeyDown={keepForm}
      error={error}
      {...failedProps(source)}
    />
  );
}

function CollectionField(props: Omit<CollectionSelectProps, 'onDatabase' | 'databaseError'>) {
  const { databaseId, collection, onCollection, canBeNew, collectionError } = props;
  const collections = useCollections(databaseId, { limit: CHOICES });
  const Field = canBeNew ? AnyCollection : ExistingCollection;
  return (
    <Field
      names={collections.data?.items.map(({ name }) => name) ?? []}
      value={collection}
      onChange={onCollection}
      source={collections}
      error={collectionError}
    />
  );
}

/** Two fields: a database, and a collection in it. Databases that others share can only be read. */
export function CollectionSelect({ onDatabase, databaseError, ...props }: CollectionSelectProps) {
  const databases = useDatabases({ limit: CHOICES, sort: 'name' });
  const shared = useDatabases({ limit: CHOICES, sort: 'name', shared: true }, { isWanted: !props.canBeNew });
  const choices = [
    ...(databases.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []),
    ...(shared.data?.items ?? [])
      .filter(database => database.read_only)
      .map(({ id, name }) => ({ value: id, label: `${name} (shared)` })),
  ];
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <SearchSelect
        label="Database"
        placeholder={databases.isPending ? 'Loading…' : 'Choose a database'}
        choices={choices}
        value={props.databaseId || null}
        onChange={id => onDatabase(id ?? '')}
        source={databases.error ? databases : shared}
        error={databaseError}
      />
      {props.databaseId === '' ? (
        <Autocomplete label="Collection" disabled placeholder="Choose a database first" />
      ) : (
        <CollectionField {...props} />
      )}
    </SimpleGrid>
  );
}
