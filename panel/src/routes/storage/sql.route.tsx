import '../../styles/storage.css';
import { Link } from 'react-router';
import { Page } from '../../components/page/page.js';
import { SqlConsole } from '../../features/storage/postgres/sql-console.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function SqlRoute() {
  const path = usePanelPath();
  return (
    <Page
      title="SQL console"
      description="One statement at a time, in your own PostgreSQL database. It shows the first 1,000 rows."
      crumbs={
        <>
          <Link to={path('storage')}>Storage</Link>
          <span aria-hidden="true">/</span>
          <Link to={path('storage', '?tab=postgres')}>PostgreSQL</Link>
        </>
      }
    >
      <SqlConsole exportHref={sql => path('exporters', `/new?${new URLSearchParams({ source: 'query', sql })}`)} />
    </Page>
  );
}
