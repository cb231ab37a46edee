import '../../styles/exporters.css';
import { Link, useSearchParams } from 'react-router';
import { Page } from '../../components/page/page.js';
import { ExportForm } from '../../features/exporters/form/export-form.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function NewExportRoute() {
  const path = usePanelPath();
  const [params] = useSearchParams();
  return (
    <Page
      title={params.get('repeat') === 'hand' ? 'New exporter' : 'New export'}
      wide
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
