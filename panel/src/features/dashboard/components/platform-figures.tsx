import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { byteSize, countText } from '@trawl/contracts';
import { Link, useParams } from 'react-router';
import type { Dashboard } from '../../../api/entities.js';
import { platformHealthQuery } from '../../../api/platform-health.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { Figure } from './figure.js';
import { PlatformRunFigures } from './platform-run-figures.js';

/** The figures that `/joint-api/platform-health` knows. */
function HealthFigures() {
  const { data, isError } = useQuery(platformHealthQuery);
  if (!data) return isError ? <Figure label="Backups, versions, disk" value="not loaded" /> : <Skeleton height={60} />;
  const { disk, worker_disks: disks, last_backup_at: backup, versions } = data;
  const low = [disk, ...disks].filter(({ is_low }) => is_low).length;
  const others = versions.workers.filter(({ version }) => version !== versions.backend);
  return (
    <>
      <Figure
        label="Last backup"
        value={backup ? <RelativeTime iso={backup} /> : 'none'}
        note={!backup && 'by trawl-admin'}
        tone={!backup && 'warn'}
      />
      <Figure
        label="Version"
        value={versions.backend}
        note={
          others.length > 0 &&
          `${countText(
            others.reduce((sum, { count }) => sum + count, 0),
            'worker',
          )} with another`
        }
        tone={others.length > 0 && 'warn'}
      />
      <Figure
        label="Disk free"
        value={byteSize(disk.free_bytes)}
        note={low > 0 && `${countText(low, 'disk')} nearly full`}
        tone={low > 0 && 'error'}
      />
    </>
  );
}

/** The state of the whole platform, for administrators. */
export default function PlatformFigures({ platform }: { platform: NonNullable<Dashboard['platform']> }) {
  const { role = '' } = useParams();
  return (
    <section className="card figures-card" aria-labelledby="platform-figures">
      <h2 id="platform-figures">
        <Link to={`/${role}/platform`}>Platform</Link>
      </h2>
      <div className="figures">
        <PlatformRunFigures platform={platform} />
        <HealthFigures />
      </div>
    </section>
  );
}
