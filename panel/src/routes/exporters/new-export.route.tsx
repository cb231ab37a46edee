import '../../styles/exporters.css';
import { Skeleton } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import { LoadFailure } from '../../components/feedback/load-failure.js';
import { Page } from '../../components/page/page.js';
import { ExportForm } from '../../features/exporters/form/export-form.js';
import { useExporter } from '../../features/exporters/saved/exporters.js';
import { usePanelPath } from '../../session/panel-path.js';

/** The form of a saved exporter. */
function SavedExporter({ id }: { id: string }) {
  const path = usePanelPath();
  const query = useExporter(id);
  const exporter = query.data;
  return (
    <Page title={exporter?.name ?? 'Exporter'} crumbs={<Link to={path('exporters', '?tab=exporters')}>Exporters</Link>}>
      {exporter ? (
        <ExportForm
          exporter={exporter}
          exportsHref={path('exporters')}
          exportersHref={path('exporters', '?tab=exporters')}
        />
      ) : query.isError ? (
        <LoadFailure
          noun="exporter"
          listHref={path('exporters', '?tab=exporters')}
          listLabel="All exporters"
          query={query}
        />
      ) : (
        <Skeleton height={320} radius={10} />
      )}
    </Page>
  );
}

export default function NewExportRoute() {
  const path = usePanelPath();
  const [params] = useSearchParams();
  const exporterId = params.get('exporter');
  if (exporterId) return <SavedExporter key={exporterId} id={exporterId} />;
  return (
    <Page
      title={params.get('repeat') === 'hand' ? 'New exporter' : 'New export'}
      crumbs={<Link to={path('exporters')}>Exporters</Link>}
    >
      <ExportForm
        address={name => params.get(name) ?? ''}
        exportsHref={path('exporters')}
        exportersHref={path('exporters', '?tab=exporters')}
      />
    </Page>
  );
}
