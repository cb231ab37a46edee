import '../../styles/storage.css';
import { Button, Group, Skeleton } from '@mantine/core';
import { Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { Skript } from '../../api/entities.js';
import { ErrorState } from '../../components/feedback/states.js';
import { lazyScreen } from '../../components/lazy-screen.js';
import { useUrlParams } from '../../components/list/url-params.js';
import { exportPath, type Place, storagePath, usePlaces } from '../../components/runs/target-place.js';
import { targetKey, targetName } from '../../components/runs/written-target.js';
import { TargetsTable } from '../../features/skripts/data/targets-table.js';
import { chosenTarget, useWrittenData } from '../../features/skripts/data/written-data.js';
import { useSkriptTab } from '../../features/skripts/home/skript-tabs.js';
import { CollectionCount, TableCount } from '../../features/storage/components/target-count.js';
import { AddDocumentsModal } from '../../features/storage/documents/document-modal.js';
import { DocumentsTable } from '../../features/storage/documents/documents-table.js';
import { TableRows } from '../../features/storage/postgres/table-rows.js';
import { usePanelPath } from '../../session/panel-path.js';

const ItemsView = lazyScreen(() => import('../../features/skripts/items/items-view.js'));

function Rows({ place }: { place: Place }) {
  const path = usePanelPath();
  const params = useUrlParams();
  const [isNew, setNew] = useState(false);
  if (place.store === 'postgresql') return <TableRows schema={place.schema} table={place.table} />;
  const { databaseId, collection } = place;
  return (
    <>
      <DocumentsTable
        databaseId={databaseId}
        collection={collection}
        collectionsHref={path('storage', `/${databaseId}`)}
        executeHref={path('execute-skript')}
        exportHref={path('exporters', exportPath(place, { where: params.get('where'), filter: params.get('filter') }))}
        onAdd={() => setNew(true)}
      />
      {isNew && <AddDocumentsModal databaseId={databaseId} collection={collection} onClose={() => setNew(false)} />}
    </>
  );
}

/** The collections and tables that a skript's runs wrote, and the rows of the chosen one. */
function WrittenData({ skript }: { skript: Skript }) {
  const path = usePanelPath();
  const params = useUrlParams();
  const { hrefOf } = useSkriptTab();
  const query = useWrittenData(skript.id);
  const targets = query.data?.items ?? [];
  const { databases, placeOf } = usePlaces(targets);
  const target = chosenTarget(targets, params.get('target'), skript.id);
  const place = target ? placeOf(target) : null;
  const key = target && targetKey(target);
  return (
    <>
      <TargetsTable
        skriptId={skript.id}
        query={query}
        chosen={key}
        hrefOf={one => `${hrefOf('data')}&${new URLSearchParams({ target: one })}`}
        renderCount={one => {
          const at = placeOf(one);
          if (at === null) return databases.isLoading && one.name !== null ? <Skeleton width={60} height={14} /> : '–';
          return at.store === 'postgresql' ? <TableCount {...at} /> : <CollectionCount {...at} />;
        }}
      />
      {target && !place && databases.isLoading && <Skeleton height={320} mt="lg" radius={10} />}
      {target && !place && databases.isError && (
        <ErrorState what="The rows could not be loaded" error={databases.error} onRetry={() => databases.refetch()} />
      )}
      {target && place && (
        <section aria-label={`Rows of ${targetName(target, skript.id)}`}>
          <Group justify="space-between" mt="lg" mb="sm">
            <h2 className="tab-title">{targetName(target, skript.id)}</h2>
            <Button size="xs" variant="default" component={Link} to={path('storage', storagePath(place))}>
              {place.store === 'postgresql' ? 'Groups, columns and SQL' : 'Groups and indexes'}
            </Button>
          </Group>
          <Rows key={key} place={place} />
        </section>
      )}
    </>
  );
}

/** The data that a skript's runs stored: collections and tables, or the items that rows with a key have become. */
export default function DataTab({ skript }: { skript: Skript }) {
  const path = usePanelPath();
  const { view, hrefOf } = useSkriptTab();
  if (view !== 'items') return <WrittenData skript={skript} />;
  return (
    <Suspense fallback={<Skeleton height={320} radius={10} />}>
      <ItemsView
        skriptId={skript.id}
        listHref={hrefOf('items')}
        runHref={id => path('skript-executions', `/${id}?tab=changes`)}
      />
    </Suspense>
  );
}
