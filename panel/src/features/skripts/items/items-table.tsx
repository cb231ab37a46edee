import { Link } from 'react-router';
import { RowValues } from '../../../components/changes/changed-fields.js';
import { keyText } from '../../../components/changes/key-text.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { ChoiceFilter } from '../../../components/list/choice-filter.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { Filters } from '../../../components/list/filters.js';
import { type ListParams, useListParams } from '../../../components/list/list-params.js';
import { NoMatches } from '../../../components/list/no-matches.js';
import { SearchField } from '../../../components/list/search-field.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { Status } from '../../../components/values/status.js';
import { FieldChart } from './field-chart.js';
import { numberFields } from './item-lines.js';
import { type Item, useItems, useItemsMedian } from './items.js';

const FILTERS = ['key', 'gone'];
const GONE_CHOICES = [
  { value: 'false', label: 'Not gone' },
  { value: 'true', label: 'Gone' },
];

const queryOf = (params: ListParams) => ({
  limit: params.query.limit,
  skip: params.query.skip,
  key: params.get('key') || undefined,
  gone: params.get('gone') === '' ? undefined : params.get('gone') === 'true',
});

const columns = (hrefOf: (item: Item) => string): Column<Item>[] => [
  {
    key: 'key',
    title: 'Item',
    lead: true,
    names: true,
    render: item => (
      <Link className="cell-title three-lines" to={hrefOf(item)} title={item.key}>
        {keyText(item.key)}
      </Link>
    ),
  },
  { key: 'fields', title: 'Fields', render: ({ fields }) => <RowValues row={fields} /> },
  { key: 'first', title: 'First seen', render: item => <RelativeTime iso={item.first_seen} /> },
  { key: 'changed', title: 'Last change', brief: true, render: item => <RelativeTime iso={item.changed_at} /> },
  {
    key: 'state',
    title: 'State',
    brief: true,
    render: ({ gone_at: goneAt, last_seen: lastSeen }) =>
      goneAt === null ? (
        <Status tone="ok" label="found" />
      ) : (
        <div>
          <Status tone="warn" label="gone" hollow />
          <span className="cell-sub">
            last seen <RelativeTime iso={lastSeen} />
          </span>
        </div>
      ),
  },
];

interface ItemsTableProps {
  skriptId: string;
  hrefOf: (item: Item) => string;
}

/** The items of a skript, and the median of a number in all of them over time. */
export function ItemsTable({ skriptId, hrefOf }: ItemsTableProps) {
  const params = useListParams('');
  const query = useItems(skriptId, queryOf(params));
  const shown = numberFields(query.data?.items ?? []);
  const field = params.get('field') || (shown[0] ?? null);
  const median = useItemsMedian(skriptId, field);
  const fields = median.data?.fields.length ? median.data.fields : shown;
  return (
    <>
      {field !== null && (
        <FieldChart
          title="Median of all items"
          note="One point after each run, of every item that was not gone. The band has nine tenths of the numbers."
          fields={fields}
          field={field}
          onField={chosen => params.set({ field: chosen })}
          query={median}
          points={median.data?.points.map(({ median: value, ...point }) => ({ value, ...point }))}
        />
      )}
      <DataTable
        label="Items"
        what="The items"
        columns={columns(hrefOf)}
        query={query}
        params={params}
        rowKey={({ id }) => id}
        toolbar={
          <>
            <SearchField label="Search keys" value={params.get('key')} onChange={key => params.set({ key })} />
            <Filters set={params.get('gone') === '' ? 0 : 1}>
              <ChoiceFilter params={params} name="gone" label="All items" choices={GONE_CHOICES} width={150} />
            </Filters>
          </>
        }
        empty={
          FILTERS.some(name => params.get(name) !== '') ? (
            <NoMatches params={params} filters={FILTERS} title="No matching items">
              No item matches all filters.
            </NoMatches>
          ) : (
            <EmptyState title="No items yet">
              Give rows a key: <code>{"dataset.push(rows, { key: 'sku' })"}</code>. Each key becomes an item with its
              history when a run has ended well.
            </EmptyState>
          )
        }
      />
    </>
  );
}
