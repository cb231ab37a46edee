import '../../styles/storage.css';
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Skript } from '../../api/entities.js';
import { useUrlParams } from '../../components/list/url-params.js';
import { targetName } from '../../components/runs/written-target.js';
import { TargetsTable } from '../../features/skripts/data/targets-table.js';
import { chosenTarget, keyOf, useWrittenData } from '../../features/skripts/data/written-data.js';
import { useSkriptTab } from '../../features/skripts/home/skript-tabs.js';
import { CollectionCount, TableCount } from '../../features/storage/components/target-count.js';
import { AddDocumentsModal } from '../../features/storage/documents/document-modal.js';
import { DocumentsTable } from '../../features/storage/documents/documents-table.js';
import { TableRows } from '../../features/storage/postgres/table-rows.js';
import { usePanelPath } from '../../session/panel-path.js';
import { exportPath, type Place, storagePath, usePlaces } from './target-places.js';

function Rows({ place }: { place: Place }) {
  const path = usePanelPath();
  const params = useUrlParams();
  const [isNew, setNew] = useState(false);
  if (place.kind === 'table') return <TableRows schema={place.schema} table={place.table} />;
  const { databaseId, collection } = place;
  return (
    <>
      <DocumentsTable
        databaseId={databaseId}
        collection={collection}
        collectionsHref={path('storage', `/${databaseId}`)}
        executeHref={path('execute-skript')}
        exportHref={path('exporters', exportPath(place, params.get))}
        onAdd={() => setNew(true)}
      />
      {isNew && <AddDocumentsModal databaseId={databaseId} collection={collection} onClose={() => setNew(false)} />}
    </>
  );
}

/** What the runs of a skript wrote, and the rows of the chosen collection or table. */
export default function DataTab({ skript }: { skript: Skript }) {
  const path = usePanelPath();
  const params = useUrlParams();
  const { hrefOf } = useSkriptTab();
  const query = useWrittenData(skript.id);
  const targets = query.data?.items ?? [];
  const placeOf = usePlaces(targets);
  const target = chosenTarget(targets, params.get('target'), skript.id);
  const place = target ? placeOf(target) : null;
  const key = target && keyOf(target);
  return (
    <>
      <TargetsTable
        skriptId={skript.id}
        query={query}
        chosen={key}
        hrefOf={one => `${hrefOf('data')}&${new URLSearchParams({ target: one })}`}
        renderCount={one => {
          const at = placeOf(one);
          if (at === null) return '–';
          return at.kind === 'table' ? <TableCount {...at} /> : <CollectionCount {...at} />;
        }}
      />
      {target && place && (
        <section aria-label={`Rows of ${targetName(target, skript.id)}`}>
          <Group justify="space-between" mt="lg" mb="sm">
            <h2 className="tab-title">{targetName(target, skript.id)}</h2>
            <Button size="xs" variant="default" component={Link} to={path('storage', storagePath(place))}>
              {place.kind === 'table' ? 'Columns and SQL' : 'Indexes and more'}
            </Button>
          </Group>
          <Rows key={key} place={place} />
        </section>
      )}
    </>
  );
}
