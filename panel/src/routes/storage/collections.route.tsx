import { Link, useParams } from 'react-router';
import { Page } from '../../components/page/page.js';
import { useDatabaseName } from '../../features/storage/api/list-databases.js';
import { CollectionsTable } from '../../features/storage/components/collections-table.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function CollectionsRoute() {
  const { databaseId = '' } = useParams();
  const path = usePanelPath();
  const name = useDatabaseName(databaseId);
  return (
    <Page title={name} crumbs={<Link to={path('storage')}>Storage</Link>}>
      <CollectionsTable databaseId={databaseId} executeHref={path('execute-skript')} />
    </Page>
  );
}
