import '../../../styles/runs/changes.css';
import { Skeleton } from '@mantine/core';
import { Link } from 'react-router';
import { ChangeStatus } from '../../../components/changes/change-status.js';
import { ChangedFields } from '../../../components/changes/changed-fields.js';
import { keyText } from '../../../components/changes/key-text.js';
import { EmptyState, ErrorState } from '../../../components/feedback/states.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { TimeText } from '../../../components/values/time-text.js';
import { FieldChart } from './field-chart.js';
import { lineOf, numberFields } from './item-lines.js';
import { type Item, type ItemChange, useFieldHistory, useItemHistory, useItems } from './items.js';

const columns = (runHref: (executionId: string) => string): Column<ItemChange>[] => [
  {
    key: 'at',
    title: 'Time',
    lead: true,
    render: ({ at, execution_id: id }) => (
      <Link className="link" to={runHref(id)}>
        <TimeText iso={at} zone />
      </Link>
    ),
  },
  { key: 'kind', title: 'Change', brief: true, render: ({ kind }) => <ChangeStatus kind={kind} /> },
  {
    key: 'fields',
    title: 'Was → now',
    brief: true,
    render: ({ fields }) => (fields ? <ChangedFields fields={fields} /> : '–'),
  },
];

const FACTS = [
  ['First seen', 'first_seen'],
  ['Last seen', 'last_seen'],
  ['Last change', 'changed_at'],
  ['Gone', 'gone_at'],
] as const;

interface HistoryProps {
  skriptId: string;
  item: Item;
  runHref: (executionId: string) => string;
}

function LoadedItem({ skriptId, item, runHref }: HistoryProps) {
  const params = useListParams('');
  const { limit, skip } = params.query;
  const query = useItemHistory(skriptId, item.id, { limit, skip });
  const fields = numberFields([item]);
  const field = params.get('field') || (fields[0] ?? null);
  const line = useFieldHistory(skriptId, item.id, field);
  return (
    <>
      <dl className="item-facts">
        {FACTS.map(([name, of]) => {
          const at = item[of];
          return (
            at !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <TimeText iso={at} zone />
                </dd>
              </div>
            )
          );
        })}
      </dl>
      {field !== null && (
        <FieldChart
          title="Over time"
          note="The value of the field from one change to the next."
          fields={fields}
          field={field}
          onField={chosen => params.set({ field: chosen })}
          query={line}
          points={line.data && lineOf(item, field, line.data.items)}
          isStepped
        />
      )}
      <DataTable
        label="History of the item"
        what="The history"
        columns={columns(runHref)}
        query={query}
        params={params}
        rowKey={({ execution_id: id }) => id}
        empty={<EmptyState title="No changes">No run has changed this item.</EmptyState>}
      />
      <section className="card result item-row" aria-label="Latest row">
        <h3 className="tab-title">Latest row</h3>
        <JsonTree value={item.fields} openDepth={1} />
      </section>
    </>
  );
}

interface ItemHistoryProps {
  skriptId: string;
  itemKey: string;
  listHref: string;
  runHref: (executionId: string) => string;
}

/** One item of a skript: when runs saw it, a line of any of its numbers, and all its changes. */
export function ItemHistory({ skriptId, itemKey, listHref, runHref }: ItemHistoryProps) {
  // The filter finds keys that contain the text. A list has the latest changed first, so a copy with a longer key may come first.
  const query = useItems(skriptId, { limit: 100, skip: 0, key: itemKey });
  const item = query.data?.items.find(({ key }) => key === itemKey);
  const content = () => {
    if (item) return <LoadedItem key={item.id} skriptId={skriptId} item={item} runHref={runHref} />;
    if (query.isError)
      return <ErrorState what="The item could not be loaded" error={query.error} onRetry={() => query.refetch()} />;
    if (query.isPending || query.isPlaceholderData) return <Skeleton height={320} radius={10} />;
    return (
      <div className="card">
        <EmptyState title="There is no such item">Its collection may have been dropped since.</EmptyState>
      </div>
    );
  };
  return (
    <section aria-label={`Item ${keyText(itemKey)}`}>
      <Link className="link item-back" to={listHref}>
        All items
      </Link>
      <h2 className="item-title three-lines" title={keyText(itemKey)}>
        {keyText(itemKey)}
      </h2>
      {content()}
    </section>
  );
}
