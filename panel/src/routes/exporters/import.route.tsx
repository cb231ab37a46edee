import { byteSize } from '@trawl/contracts';
import '../../styles/exporters.css';
import { Skeleton } from '@mantine/core';
import { Link, useParams } from 'react-router';
import type { Import } from '../../api/entities.js';
import { LoadFailure } from '../../components/feedback/load-failure.js';
import { Page } from '../../components/page/page.js';
import { ImportForm } from '../../features/exporters/imports/import-form.js';
import { ImportOutcome } from '../../features/exporters/imports/import-outcome.js';
import { useImport } from '../../features/exporters/imports/imports.js';
import { isOpen } from '../../features/exporters/terms.js';
import { usePanelPath } from '../../session/panel-path.js';

/** The page of the collection or table into which the rows go; null before the import is started. */
function hrefOf({ db_id, collection, schema, table }: Import, path: (place: string) => string): string | null {
  if (table) return path(`/tables/${encodeURIComponent(schema ?? 'public')}/${encodeURIComponent(table)}`);
  return db_id && collection ? path(`/${db_id}/${encodeURIComponent(collection)}`) : null;
}

export default function ImportRoute() {
  const { importId = '' } = useParams();
  const path = usePanelPath();
  const query = useImport(importId);
  const item = query.data;
  const targetHref = item ? hrefOf(item, place => path('storage', place)) : null;
  return (
    <Page
      title={item?.file_name ?? 'Import'}
      facts={
        item && (
          <span className="facts-line">
            {byteSize(item.bytes)}
            {item.state === 'uploaded' && '. Nothing is imported until you start it.'}
          </span>
        )
      }
      crumbs={<Link to={path('exporters', '?tab=imports')}>Imports</Link>}
    >
      {item ? (
        <>
          <ImportOutcome item={item} targetHref={targetHref} />
          {/* The form stays while the import runs, because the user may have to correct it afterwards. */}
          {item.state !== 'done' && (
            <div hidden={isOpen(item)}>
              <ImportForm item={item} />
            </div>
          )}
        </>
      ) : query.isError ? (
        <LoadFailure noun="import" listHref={path('exporters', '?tab=imports')} listLabel="All imports" query={query} />
      ) : (
        <Skeleton height={320} radius={10} />
      )}
    </Page>
  );
}
