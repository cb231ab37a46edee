import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { byteSize } from '@trawl/contracts';
import { platformHealthQuery } from '../../api/platform-health.js';
import { ErrorState } from '../../components/feedback/states.js';
import { Status } from '../../components/values/status.js';

interface Disk {
  free_bytes: number;
  total_bytes: number;
  is_low: boolean;
}

const DiskRow = ({ name, disk }: { name: string; disk: Disk }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <Status tone={disk.is_low ? 'error' : 'ok'} label={disk.is_low ? 'nearly full' : 'enough free'} />
      <span className="cell-sub tabular">
        {byteSize(disk.free_bytes)} of {byteSize(disk.total_bytes)} free
      </span>
    </dd>
  </div>
);

/** Free space of the disks of the backend and the workers, and the size of the database. */
export function DiskCard() {
  const query = useQuery(platformHealthQuery);
  return (
    <section className="card account-card" aria-labelledby="disks" aria-busy={query.isPending}>
      <h2 id="disks">Disk space</h2>
      {query.data ? (
        <dl className="health-list">
          <DiskRow name="Backend" disk={query.data.disk} />
          {query.data.worker_disks.map(disk => (
            <DiskRow key={disk.id} name={`Worker ${disk.name}`} disk={disk} />
          ))}
          <div>
            <dt>Database</dt>
            <dd className="tabular">{byteSize(query.data.postgres.size_bytes)}</dd>
          </div>
        </dl>
      ) : query.isError ? (
        <ErrorState what="The disk space could not be loaded" error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <Skeleton height={60} />
      )}
    </section>
  );
}
