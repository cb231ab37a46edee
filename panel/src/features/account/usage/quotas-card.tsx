import { Skeleton } from '@mantine/core';
import { byteSize, isByteQuota, QUOTA_NAMES } from '@trawl/contracts';
import { useAccount } from '../../../api/requests/get-account.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { QuotaBar, quotaState } from '../../../components/values/quota-bar.js';
import { QUOTA_LABELS } from '../../../components/values/quota-labels.js';

/** Shows the use and the limit of each quota. */
export function QuotasCard() {
  const query = useAccount();
  if (query.isError && !query.data)
    return (
      <section className="card" aria-label="What you use">
        <ErrorState inset what="The quotas could not be loaded" error={query.error} onRetry={() => query.refetch()} />
      </section>
    );
  if (!query.data) return <Skeleton height={300} radius={10} />;
  const { quotas } = query.data;
  return (
    <section className="card account-card" aria-labelledby="quotas">
      <h2 id="quotas">What you use</h2>
      <dl className="quota-list">
        {QUOTA_NAMES.map(name => {
          const { used, limit } = quotas[name];
          const text = isByteQuota(name) ? byteSize : (count: number) => count.toLocaleString();
          const state = limit === null ? 'free' : quotaState(used, limit);
          return (
            <div key={name}>
              <dt>{QUOTA_LABELS[name].replace(' (bytes)', '')}</dt>
              <dd className="tabular">
                {text(used)} {limit !== null && <span>of {text(limit)}</span>}
                {state !== 'free' && <strong> {state}</strong>}
                {limit !== null && <QuotaBar used={used} limit={limit} label={QUOTA_LABELS[name]} />}
              </dd>
            </div>
          );
        })}
      </dl>
      <p className="tab-note">
        A quota without a limit shows only what you use. An administrator can change your quotas.
      </p>
    </section>
  );
}
