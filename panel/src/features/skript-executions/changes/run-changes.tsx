import '../../../styles/runs/changes.css';
import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { CHANGE_KINDS, isLive } from '@trawl/contracts';
import type { ReactNode } from 'react';
import type { Execution } from '../../../api/entities.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { DataTable } from '../../../components/list/data-table.js';
import { type ListParams, useListParams } from '../../../components/list/list-params.js';
import { NoMatches } from '../../../components/list/no-matches.js';
import { SearchField } from '../../../components/list/search-field.js';
import { changeColumns } from './change-columns.js';
import { useRunChanges } from './changes.js';
import { chosenKind, KindFilter } from './kind-filter.js';

type Changes = NonNullable<ReturnType<typeof useRunChanges>['data']>;
type Change = Changes['items'][number];

/** Says why the run has no changes. */
function reasonOf(
  { action, verdict, rows }: Execution,
  { state, reason }: Changes,
): { title: string; text: ReactNode } {
  if (state === 'merged') return { title: 'Nothing changed', text: 'All rows are as earlier runs stored them.' };
  if (state === 'older')
    return {
      title: 'A later run was first',
      text: 'A run with the same input that started later was merged first, so this run changes nothing.',
    };
  if (state === 'failed')
    return {
      title: 'The rows could not be merged',
      text: `${reason} The next run continues from the items as they are.`,
    };
  if (isLive(action))
    return { title: 'The run is live', text: 'Its changes are listed when it has ended and its rows are not broken.' };
  if (state === 'waiting')
    return verdict?.level === 'broken' && !verdict.accepted_at
      ? { title: 'The rows are broken', text: 'They change no items. If they are normal now, accept them above.' }
      : { title: 'Not merged yet', text: 'Trawl compares the rows with those of earlier runs. This page follows it.' };
  return {
    title: rows === 0 ? 'This run stored no rows' : 'The rows have no key',
    text: (
      <>
        To list what each run changes, give rows a key: <code>{"dataset.push(rows, { key: 'sku' })"}</code>. Only runs
        that end well are listed.
      </>
    ),
  };
}

const FILTERS = ['kind', 'field'];

const queryOf = (params: ListParams) => ({
  limit: params.query.limit,
  skip: params.query.skip,
  kind: chosenKind(params, CHANGE_KINDS),
  field: params.get('field') || undefined,
});

interface RunChangesProps {
  execution: Execution;
  /** The last good run before this one, to compare with if the run has no changes. */
  lastGood: Execution | null;
  onCompare: (otherId: string) => void;
}

/** How the rows with a key that a run stored differ from those of earlier runs. */
export function RunChanges({ execution, lastGood, onCompare }: RunChangesProps) {
  const params = useListParams('');
  const query = useRunChanges(execution.id, queryOf(params), isLive(execution.action));
  const data = query.data;
  const reason = data && reasonOf(execution, data);
  return (
    <DataTable<Change>
      label="Changes"
      what="The changes"
      columns={changeColumns('Item')}
      query={query as UseQueryResult<Changes>}
      params={params}
      rowKey={({ item_id: id }) => id}
      toolbar={
        data?.state === 'failed' && data.items.length > 0 ? (
          <p>
            {reason?.title}: {reason?.text}
          </p>
        ) : (
          data?.state === 'merged' && (
            <>
              <KindFilter params={params} kinds={CHANGE_KINDS} counts={data.counts} />
              <SearchField
                label="Field, such as price"
                value={params.get('field')}
                onChange={field => params.set({ field })}
              />
            </>
          )
        )
      }
      empty={
        data?.state === 'merged' && FILTERS.some(name => params.get(name) !== '') ? (
          <NoMatches params={params} filters={FILTERS} title="No matching changes">
            No change matches all filters.
          </NoMatches>
        ) : (
          reason && (
            <EmptyState
              title={reason.title}
              action={
                lastGood &&
                data?.state !== 'merged' && (
                  <Button variant="default" onClick={() => onCompare(lastGood.id)}>
                    Compare with the last good run
                  </Button>
                )
              }
            >
              {reason.text}
            </EmptyState>
          )
        )
      }
    />
  );
}
