import { Autocomplete, SimpleGrid } from '@mantine/core';
import { useCollections } from '../../api/requests/storage/list-collections.js';
import { useDatabases } from '../../api/requests/storage/list-databases.js';
import { SearchSelect } from './search-select.js';

/** The API lists at most so many at once; an account has far fewer. */
const CHOICES = 1_000;

interface CollectionSelectProps {
  databaseId: string;
  onDatabase: (databaseId: string) => void;
  collection: string;
  onCollection: (collection: string) => void;
  /** Explains the field of the collection. */
  description?: string;
  databaseError?: React.ReactNode;
  collectionError?: React.ReactNode;
}

function CollectionField(props: Omit<CollectionSelectProps, 'onDatabase' | 'databaseError'>) {
  const { databaseId, collection, onCollection, description, collectionError } = props;
  const collections = useCollections(databaseId, { limit: CHOICES });
  return (
    <Autocomplete
      label="Collection"
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={collections.data?.items.map(({ name }) => name) ?? []}
      limit={100}
      value={collection}
      onChange={onCollection}
      error={collections.error?.message ?? collectionError}
    />
  );
}

/** Two fields: a database, and a collection in it, which may also be new. */
export function CollectionSelect({ onDatabase, databaseError, ...props }: CollectionSelectProps) {
  const databases = useDatabases({ limit: CHOICES, sort: 'name' });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <SearchSelect
        label="Database"
        placeholder={databases.isPending ? 'Loading…' : 'Choose a database'}
        allowDeselect={false}
        choices={databases.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        value={props.databaseId || null}
        onChange={id => onDatabase(id ?? '')}
        error={databases.error?.message ?? databaseError}
      />
      {props.databaseId === '' ? (
        <Autocomplete
          label="Collection"
          disabled
          placeholder="Choose a database first"
          description={props.description}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
      ) : (
        <CollectionField {...props} />
      )}
    </SimpleGrid>
  );
}
