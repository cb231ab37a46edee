import '../../../styles/runs/changes.css';
import { Select } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { countText, ROW_DIFFERENCES } from '@trawl/contracts';
import { EmptyState } from '../../../components/feedback/states.js';
import { DataTable } from '../../../components/list/data-table.js';
import { Filters } from '../../../components/list/filters.js';
import { useListParams } from '../../../components/list/list-params.js';
import { NoMatches } from '../../../components/list/no-matches.js';
import { changeColumns } from './change-columns.js';
import { useRowComparison } from './changes.js';
import { comparedTarget, DATASET } from './compared-target.js';
import { chosenKind, KindFilter } from './kind-filter.js';

type Comparison = NonNullable<ReturnType<typeof useRowComparison>['data']>;
type Difference = Comparison['items'][number];

/** Says how the rows were matched, and which rows are left out. */
function noteOf({ matched_by: by, match_field: field, was, now, ...counts }: Comparison): string {
  const how = {
    key: `Rows are matched by their ${counts.target === DATASET ? 'key' : '_id'}.`,
    field: `The rows have no key. They are matched by ${field}, which is different in each row.`,
    row: 'The rows have no key, so equal rows are matched, and the others in their order.',
  }[by];
  const cut = [was, now].some(({ complete }) => !complete)
    ? ' A run has more rows than can be compared. Rows at its end may seem added or gone.'
    : '';
  const all = counts.changed + counts.added + counts.gone;
  const shown = counts.items.length;
  const more = shown < all ? ` The table has the first ${shown.toLocaleString('en-GB')} of the differences.` : '';
  return `${countText(counts.equal, 'equal row')}. ${how}${cut}${more}`;
}

const withField = ({ fields }: Difference, field: string): boolean => fields !== null && Object.hasOwn(fields, field);

interface RowComparisonProps {
  /** The later run. */
  executionId: string;
  otherId: string;
}

/** The rows of two runs that differ, with both values of each field. */
export function RowComparison({ executionId, otherId }: RowComparisonProps) {
  const params = useListParams('');
  const query = useRowComparison(executionId, otherId, params.get('target') || undefined);
  const data = query.data;
  const kind = chosenKind(params, ROW_DIFFERENCES);
  const field = params.get('field');
  const found = (data?.items ?? []).filter(item => (!kind || item.kind === kind) && (!field || withField(item, field)));
  const { skip, limit } = params.query;
  const page = data && { ...query, data: { total: found.length, items: found.slice(skip, skip + limit) } };
  // A replay shows its other tabs below, which an empty table would push away.
  const choice = data && (data.targets.length > 1 || data.target !== DATASET) && (
    <Select
      w={{ base: '100%', sm: 320 }}
      mb={10}
      label="Rows of"
      allowDeselect={false}
      data={data.targets.map(value => ({ value, label: comparedTarget(value) }))}
      value={data.target}
      onChange={target => params.set({ target, kind: null, field: null })}
    />
  );
  if (data && data.equal > 0 && data.changed + data.added + data.gone === 0)
    return (
      <>
        {choice}
        <p className="change-note">No row differs: {noteOf(data)}</p>
      </>
    );
  const keyTitle =
    data?.matched_by === 'row' ? null : (data?.match_field ?? (data?.target === DATASET ? 'Key' : '_id'));
  return (
    <>
      {choice}
      {data && <p className="change-note">{noteOf(data)}</p>}
      <DataTable<Difference>
        label="Differences of rows"
        what="The comparison of the rows"
        columns={changeColumns(keyTitle)}
        query={(page ?? query) as UseQueryResult<{ total: number; items: Difference[] }>}
        params={params}
        rowKey={item => `${item.kind} ${item.key ?? ''} ${data?.items.indexOf(item)}`}
        toolbar={
          data && (
            <>
              <KindFilter params={params} kinds={ROW_DIFFERENCES} counts={data} />
              <Filters set={field ? 1 : 0}>
                <Select
                  w={{ base: '100%', sm: 260 }}
                  clearable
                  searchable
                  aria-label="Field"
                  placeholder="All fields"
                  data={data.fields.map(({ field: name, rows }) => ({
                    value: name,
                    label: `${name} (${rows.toLocaleString('en-GB')})`,
                  }))}
                  value={field || null}
                  onChange={value => params.set({ field: value })}
                />
              </Filters>
            </>
          )
        }
        empty={
          kind || field ? (
            <NoMatches params={params} filters={['kind', 'field']} title="No matching rows">
              No difference matches all filters.
            </NoMatches>
          ) : (
            <EmptyState title="Neither run has rows">Rows are what a skript stores with dataset.push.</EmptyState>
          )
        }
      />
    </>
  );
}
