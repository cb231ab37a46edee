import { Link, useNavigate, useParams } from 'react-router';
import { LoadFailure } from '../../components/feedback/load-failure.js';
import { PageShape } from '../../components/feedback/page-shape.js';
import { Page } from '../../components/page/page.js';
import { HostsTable } from '../../features/queues/hosts-table.js';
import { QueueActions } from '../../features/queues/queue-actions.js';
import { useQueue } from '../../features/queues/queues.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function QueueRoute() {
  const { queueId = '' } = useParams();
  const path = usePanelPath();
  const navigate = useNavigate();
  const query = useQueue(queueId);
  const queue = query.data;
  const list = path('skripts', '/queues');
  return (
    <Page
      title={queue?.name ?? 'Queue'}
      crumbs={<Link to={list}>Queues</Link>}
      description="Requests by host. Hosts take turns."
      actions={queue && <QueueActions queue={queue} size="sm" onDeleted={() => void navigate(list)} />}
    >
      {query.isError && !queue ? (
        <LoadFailure noun="queue" listHref={list} listLabel="All queues" query={query} />
      ) : queue ? (
        <HostsTable queueId={queueId} />
      ) : (
        <PageShape what="the queue" />
      )}
    </Page>
  );
}
