import { Autocomplete, SegmentedControl, SimpleGrid, TextInput } from '@mantine/core';
import { CollectionSelect } from '../../../components/selects/collection-select.js';
import { failedProps, keepForm } from '../../../components/selects/search-select.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useTables } from '../form/tables.js';
import type { ImportTarget } from './import-plan.js';

interface ImportTargetFieldsProps {
  target: ImportTarget;
  onChange: (target: ImportTarget) => void;
  /** What is wrong, by field. */
  problems: Record<string, string | undefined>;
}

function TableFields({ target, onChange, problems }: ImportTargetFieldsProps) {
  const { schema, table } = target;
  const tables = useTables();
  const names = (tables.data?.items ?? []).filter(one => one.kind === 'table' && one.schema === schema.trim());
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <TextInput
        label="Schema"
        spellCheck={false}
        value={schema}
        onChange={event => onChange({ ...target, schema: event.currentTarget.value })}
        error={problems.schema}
      />
      <Autocomplete
        label="Table"
        description="It is created if it does not exist."
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        spellCheck={false}
        data={names.map(({ name }) => name)}
        renderOption={({ option }) => <span>{inReadingOrder(option.value)}</span>}
        limit={100}
        value={table}
        onChange={value => onChange({ ...target, table: value })}
        onKeyDown={keepForm}
        error={problems.table}
        {...failedProps(tables)}
      />
    </SimpleGrid>
  );
}

/** Says where the rows go: into a collection of MongoDB, or a table of PostgreSQL. */
export function ImportTargetFields(props: ImportTargetFieldsProps) {
  const { target, onChange, problems } = props;
  return (
    <>
      <SegmentedControl
        mb="md"
        aria-label="Where the rows go"
        data={[
          { value: 'collection', label: 'MongoDB' },
          { value: 'table', label: 'PostgreSQL' },
        ]}
        value={target.kind}
        onChange={kind => onChange({ ...target, kind: kind as ImportTarget['kind'] })}
      />
      {target.kind === 'table' ? (
        <TableFields {...props} />
      ) : (
        <CollectionSelect
          databaseId={target.databaseId}
          onDatabase={databaseId => onChange({ ...target, databaseId })}
          collection={target.collection}
          onCollection={collection => onChange({ ...target, collection })}
          canBeNew
          databaseError={problems.database}
          collectionError={problems.collection}
        />
      )}
    </>
  );
}
