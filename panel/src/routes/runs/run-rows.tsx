import '../../styles/storage.css';
import { Button, Skeleton } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { isLive } from '@trawl/contracts';
import { Link } from 'react-router';
import type { Execution } from '../../api/entities.js';
import { isMissing } from '../../components/feedback/load-failure.js';
import { EmptyState, ErrorState } from '../../components/feedback/states.js';
import { FocusableButton } from '../../components/focusable-button.js';
import { useUrlParams } from '../../components/list/url-params.js';
import { exportPath, type Place, storagePath, usePlaces } from '../../components/runs/target-place.js';
import { useDownloadRows } from '../../features/skript-executions/api/download-rows.js';
import { countsText, TargetChoice } from '../../features/skript-executions/components/target-choice.js';
import type { RunTarget } from '../../features/skript-executions/run-targets.js';
import { RunDocuments } from '../../features/storage/documents/run-documents.js';
import { TableRows } from '../../features/storage/postgres/table-rows.js';
import { useTable } from '../../features/storage/postgres/tables.js';
import { usePanelPath } from '../../session/panel-path.js';
import { filterOf, sourceOf } from './rows-of-run.js';

/** How often the rows of a live run are read again. */
const REFRESH_MS = 2_000;

interface TargetProps {
  execution: Execution;
  target: RunTarget;
  place: Place;
}

/** Says what the rows below are, as far as Trawl knows. */
function noteOf({ kind, updated }: RunTarget, filter: string, hasKey: boolean): string {
  if (kind === 'dataset') return 'Rows of this run, the newest first.';
  if (kind === 'values') return 'All values that the skript keeps for its next runs.';
  if (kind === 'table')
    return `All rows of the table${hasKey ? ', those with the highest key first' : ''}: a row does not say which run wrote it.`;
  if (filter === '') return 'The newest documents of the collection: a document does not say which run has updated it.';
  const updates = updated > 0 ? ' Documents that the run updated are missing here.' : '';
  return `Documents that were added while the run ran, by the time in their _id.${updates}`;
}

function TargetBar({ execution, target, place, hasKey = false }: TargetProps & { hasKey?: boolean }) {
  const path = usePanelPath();
  const save = useDownloadRows();
  const source = sourceOf(execution, target, place);
  const filter = filterOf(execution, target);
  const exported =
    target.kind === 'dataset'
      ? `/new?${new URLSearchParams({ source: 'run', execution_id: execution.id })}`
      : exportPath(place, { filter });
  return (
    <>
      <p className="target-note">
        <strong>{countsText(target)}.</strong> {noteOf(target, filter, hasKey)}
      </p>
      <span className="bar-end">
        <Button size="sm" variant="default" component={Link} to={path('storage', storagePath(place, { filter }))}>
          Open in Storage
        </Button>
        <Button size="sm" variant="default" component={Link} to={path('exporters', exported)}>
          Export…
        </Button>
        {source && (
          <FocusableButton
            size="sm"
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={save.isPending}
            onClick={() => save.mutate(source)}
          >
            Download CSV
          </FocusableButton>
        )}
      </span>
    </>
  );
}

function TableTarget({ execution, target, place }: TargetProps & { place: { store: 'postgresql' } }) {
  const table = useTable(place.schema, place.table);
  if (table.isError && isMissing(table.error))
    return (
      <div className="card">
        <EmptyState title="This table is gone">It was dropped after the run had written to it.</EmptyState>
      </div>
    );
  if (table.isError && !table.data)
    return <ErrorState what="The rows could not be loaded" error={table.error} onRetry={() => table.refetch()} />;
  if (!table.data) return <Skeleton height={320} radius={10} />;
  return (
    <TableRows
      schema={place.schema}
      table={place.table}
      newestFirst
      refreshMs={isLive(execution.action) ? REFRESH_MS : undefined}
      toolbar={
        <TargetBar
          execution={execution}
          target={target}
          place={place}
          hasKey={table.data.columns.some(({ primary_key: isKey }) => isKey)}
        />
      }
    />
  );
}

function TargetRows({ execution, target, place }: TargetProps) {
  if (place.store === 'postgresql') return <TableTarget execution={execution} target={target} place={place} />;
  return (
    <RunDocuments
      key={`${place.databaseId} ${place.collection}`}
      databaseId={place.databaseId}
      collection={place.collection}
      filter={filterOf(execution, target)}
      isDataset={target.kind === 'dataset'}
      refreshMs={isLive(execution.action) ? REFRESH_MS : undefined}
      toolbar={<TargetBar execution={execution} target={target} place={place} />}
      empty={
        <EmptyState title="No such documents now">
          They may have been deleted since, or have an _id that has no time.
        </EmptyState>
      }
    />
  );
}

/** Shown for a run that has stored nothing, or nothing in a collection or table to which the last good run has written. */
function NoRows({ execution, target }: { execution: Execution; target?: RunTarget }) {
  const before = target?.before ?? 0;
  return (
    <div className="card">
      <EmptyState title={isLive(execution.action) ? 'No rows yet' : 'This run stored no rows'}>
        {before > 0 && `The last good run stored ${before.toLocaleString('en-GB')} here. `}
        {isLive(execution.action)
          ? 'They appear here as soon as the skript stores some.'
          : 'Rows are what a skript stores with dataset.push, mongo or postgres.'}
      </EmptyState>
    </div>
  );
}

interface RunRowsProps {
  execution: Execution;
  targets: RunTarget[];
}

/** The rows that a run has stored, one collection or table at a time. */
export function RunRows({ execution, targets }: RunRowsProps) {
  const params = useUrlParams();
  const { databases, placeOf } = usePlaces(targets);
  const target = targets.find(({ key }) => key === params.get('target')) ?? targets[0];
  if (!target) return <NoRows execution={execution} />;
  const place = placeOf(target);
  const content = () => {
    if (target.stored + target.deleted === 0) return <NoRows execution={execution} target={target} />;
    if (place) return <TargetRows execution={execution} target={target} place={place} />;
    if (target.kind === 'unknown')
      return (
        <div className="card">
          <EmptyState title={`${countsText(target)}, but Trawl does not know where`}>
            {target.store === 'postgresql'
              ? 'It knows the table of postgres.insertMany and of simple statements. The numbers of other statements are counted together.'
              : 'The run has written to more than 100 collections. The others are counted together.'}
          </EmptyState>
        </div>
      );
    if (databases.isError)
      return (
        <ErrorState what="The rows could not be loaded" error={databases.error} onRetry={() => databases.refetch()} />
      );
    if (databases.isPending) return <Skeleton height={320} radius={10} />;
    return (
      <div className="card">
        <EmptyState title="This database is gone">It was deleted after the run had written to it.</EmptyState>
      </div>
    );
  };
  return (
    <>
      <TargetChoice
        targets={targets}
        chosen={target}
        onChange={key => params.set({ target: key, page: null, sort: null, document: null })}
      />
      {content()}
    </>
  );
}
