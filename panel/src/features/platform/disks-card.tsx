import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { byteSize } from '@trawl/contracts';
import { platformHealthQuery } from '../../api/platform-health.js';
import { CardFailure } from '../../components/failures/card-failure.js';
import { inReadingOrder } from '../../components/values/in-reading-order.js';
import { Status } from '../../components/values/status.js';

interface Disk {
  free_bytes: number;
  total_bytes: number;
  is_low: boolean;
}

function DiskRow({ name, disk }: { name: string; disk: Disk }) {
  const used = 100 * (1 - disk.free_bytes / Math.max(1, disk.total_bytes));
  return (
    <li>
      <span>{name}</span>
      {disk.is_low ? <Status tone="error" label="nearly full" /> : <Status tone="ok" label="enough free" />}
      <span className="state-fact tabular">
        {byteSize(disk.free_bytes)} of {byteSize(disk.total_bytes)} free
      </span>
      <meter
        className="disk-bar"
        data-low={disk.is_low || undefined}
        max={100}
        value={used}
        aria-label={`${name}: used`}
      />
    </li>
  );
}

/** Free space of the disks of the backend and the workers, and the size of the database. */
export function DisksCard() {
  const query = useQuery(platformHealthQuery);
  return (
    <section className="card state-list" aria-labelledby="disks" aria-busy={query.isPending}>
      <h2 id="disks">Disk space</h2>
      {query.data ? (
        <ul>
          <DiskRow name="Backend" disk={query.data.disk} />
          {query.data.worker_disks.map(disk => (
            <DiskRow key={disk.id} name={`Worker ${inReadingOrder(disk.name)}`} disk={disk} />
          ))}
          <li>
            <span>Database</span>
            <span className="state-fact tabular">{byteSize(query.data.postgres.size_bytes)}</span>
          </li>
        </ul>
      ) : query.isError ? (
        <CardFailure inset what="The disk space" query={query} />
      ) : (
        <Skeleton height={84} />
      )}
    </section>
  );
}
