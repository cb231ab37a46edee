import { useQuery } from '@tanstack/react-query';
import { countText } from '@trawl/contracts';
import { platformHealthQuery } from '../../api/platform-health.js';
import { useAccount } from '../../api/requests/get-account.js';
import { Fact } from '../../components/page/fact.js';
import { RelativeTime } from '../../components/values/relative-time.js';
import { Status } from '../../components/values/status.js';
import { healthQuery } from './health.js';

/** Shows in one line whether all services are up, since when the platform is in maintenance, its version and last backup. */
export function PlatformFacts() {
  const checks = useQuery(healthQuery).data;
  const health = useQuery(platformHealthQuery).data;
  const maintenance = useAccount().data?.maintenance;
  const down =
    Object.values(checks ?? {}).filter(({ status }) => status !== 'up').length +
    (health?.object_store?.is_available === false ? 1 : 0);
  const others = health?.versions.workers.filter(({ version }) => version !== health.versions.backend) ?? [];
  return (
    <dl className="facts-line">
      {checks && (
        <Fact name="Services">
          {down === 0 ? <Status tone="ok" label="all up" /> : <Status tone="error" label={`${down} down`} />}
        </Fact>
      )}
      {maintenance && (
        <Fact name="In maintenance" className="tone-warn">
          <RelativeTime iso={maintenance.started_at} />
        </Fact>
      )}
      {health && (
        <>
          <Fact name="Version">
            {health.versions.backend}
            {others.length > 0 && (
              <Status
                tone="warn"
                label={`${countText(
                  others.reduce((sum, { count }) => sum + count, 0),
                  'worker',
                )} with another`}
              />
            )}
          </Fact>
          <Fact name="Last backup">
            {health.last_backup_at ? (
              <RelativeTime iso={health.last_backup_at} />
            ) : (
              <Status tone="warn" label="none by trawl-admin" />
            )}
          </Fact>
        </>
      )}
    </dl>
  );
}
