import { Link, useNavigate, useParams } from 'react-router';
import { LoadFailure } from '../../components/feedback/load-failure.js';
import { PageShape } from '../../components/feedback/page-shape.js';
import { Page } from '../../components/page/page.js';
import { PoolActions } from '../../features/proxies/pool-actions.js';
import { useProxyPool } from '../../features/proxies/proxies.js';
import { ProxiesTable } from '../../features/proxies/proxies-table.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function ProxyPoolRoute() {
  const { poolId = '' } = useParams();
  const path = usePanelPath();
  const navigate = useNavigate();
  const query = useProxyPool(poolId);
  const pool = query.data;
  const list = path('skripts', '/proxies');
  return (
    <Page
      title={pool?.name ?? 'Pool of proxies'}
      crumbs={<Link to={list}>Proxies</Link>}
      description="Proxies with their health as your runs measured it."
      actions={pool && <PoolActions pool={pool} size="sm" onDeleted={() => void navigate(list)} />}
    >
      {query.isError && !pool ? (
        <LoadFailure noun="pool" listHref={list} listLabel="All pools" query={query} />
      ) : pool ? (
        <ProxiesTable poolId={poolId} />
      ) : (
        <PageShape what="the pool" />
      )}
    </Page>
  );
}
