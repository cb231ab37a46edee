import type { UseQueryResult } from '@tanstack/react-query';
import { countText } from '@trawl/contracts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { WrittenTarget } from '../../../api/entities.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { targetKey, targetName, targetPlace } from '../../../components/runs/written-target.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { GrowthBars } from './growth-bars.js';
import type { useWrittenData } from './written-data.js';

interface TargetsTableProps {
  skriptId: string;
  query: ReturnType<typeof useWrittenData>;
  /** Key of the target whose rows are shown. */
  chosen: string | undefined;
  hrefOf: (key: string) => string;
  /** The number of documents or rows that a target has now. */
  renderCount: (target: WrittenTarget) => ReactNode;
}

/** Every collection and table that the runs of a skript wrote. A click shows its rows below. */
export function TargetsTable({ skriptId, query, chosen, hrefOf, renderCount }: TargetsTableProps) {
  const columns: Column<WrittenTarget>[] = [
    {
      key: 'name',
      title: 'Collection or table',
      lead: true,
      render: target => {
        const label = targetName(target, skriptId);
        const key = targetKey(target);
        return (
          <>
            {target.name === null ? (
              label
            ) : (
              <Link className="cell-title" to={hrefOf(key)} aria-current={key === chosen || undefined}>
                {label}
              </Link>
            )}
            <span className="cell-sub">{targetPlace(target)}</span>
          </>
        );
      },
    },
    { key: 'rows', title: 'Rows now', brief: true, render: renderCount },
    { key: 'growth', title: 'Growth', brief: true, render: target => <GrowthBars target={target} /> },
    {
      key: 'changed',
      title: 'Written by runs',
      render: ({ inserted, updated, deleted, runs }) => (
        <div>
          <span className="tabular">
            {[
              `${inserted.toLocaleString('en-GB')} inserted`,
              updated > 0 && `${updated.toLocaleString('en-GB')} updated`,
              deleted > 0 && `${deleted.toLocaleString('en-GB')} deleted`,
            ]
              .filter(Boolean)
              .join(', ')}
          </span>
          <span className="cell-sub">by {countText(runs, 'run')}</span>
        </div>
      ),
    },
    { key: 'last', title: 'Last', render: ({ last_run_at }) => <RelativeTime iso={last_run_at} /> },
  ];
  const targets = query.data && { ...query, data: { total: query.data.items.length, items: query.data.items } };
  return (
    <DataTable
      label="Written data"
      what="The data of the skript"
      columns={columns}
      query={(targets ?? query) as UseQueryResult<{ total: number; items: WrittenTarget[] }>}
      rowKey={targetKey}
      empty={
        <EmptyState title={query.data?.runs ? 'No run has written data' : 'No data yet'}>
          Store rows with <code>dataset.push</code>, <code>mongo</code> or <code>postgres</code> of{' '}
          <code>@trawl/storage</code>. Each collection and table that a run writes appears here.
        </EmptyState>
      }
    />
  );
}
