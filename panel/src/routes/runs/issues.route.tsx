import { Link } from 'react-router';
import { Page } from '../../components/page/page.js';
import { IssuesTable } from '../../features/skript-executions/issues/issues-table.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function IssuesRoute() {
  const path = usePanelPath();
  return (
    <Page
      title="Issues"
      crumbs={<Link to={path('skript-executions')}>Skript executions</Link>}
      description="Failed runs, grouped by cause."
    >
      <IssuesTable
        links={{
          skript: id => path('skripts', `/${id}`),
          version: (id, hash) => path('skripts', `/${id}?version=${hash}`),
          runs: id => path('skript-executions', `?issue_id=${id}`),
          run: id => path('skript-executions', `/${id}`),
        }}
      />
    </Page>
  );
}
