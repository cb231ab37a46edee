import { Link, useParams } from 'react-router';
import { Page } from '../../components/page/page.js';
import { useDatabaseName } from '../../features/storage/api/list-databases.js';
import { DocumentsTable } from '../../features/storage/components/documents-table.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function DocumentsRoute() {
  const { databaseId = '', collection = '' } = useParams();
  const path = usePanelPath();
  const name = useDatabaseName(databaseId);
  return (
    <Page
      title={collection}
      wide
      crumbs={
        <>
          <Link to={path('storage')}>Storage</Link>
          <span aria-hidden="true">/</span>
          <Link to={path('storage', `/${databaseId}`)}>{name}</Link>
        </>
      }
    >
      <DocumentsTable databaseId={databaseId} collection={collection} executeHref={path('execute-skript')} />
    </Page>
  );
}
