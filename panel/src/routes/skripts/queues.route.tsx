import '../../styles/joint-api.css';
import { Link } from 'react-router';
import { Page } from '../../components/page/page.js';
import { QueuesTable } from '../../features/queues/queues-table.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function QueuesRoute() {
  const path = usePanelPath();
  return (
    <Page
      title="Queues"
      crumbs={<Link to={path('skripts')}>Skripts</Link>}
      description="Requests of crawls, which your runs share and continue."
    >
      <QueuesTable queueHref={id => path('skripts', `/queues/${id}`)} />
    </Page>
  );
}
