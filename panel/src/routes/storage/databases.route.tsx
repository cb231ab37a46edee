import { Page } from '../../components/page/page.js';
import { DatabasesTable } from '../../features/storage/components/databases-table.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function DatabasesRoute() {
  const path = usePanelPath();
  return (
    <Page title="Storage" description="The MongoDB databases that your skripts write to.">
      <DatabasesTable skriptsHref={path('skripts')} />
    </Page>
  );
}
