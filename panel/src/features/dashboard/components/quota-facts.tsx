import { byteSize, isByteQuota, QUOTA_NAMES } from '@trawl/contracts';
import type { Dashboard as Figures } from '../../../api/entities.js';
import { QuotaBar } from '../../../components/values/quota-bar.js';
import { QUOTA_LABELS } from '../../../components/values/quota-labels.js';

/** A quota that is used less than this is left out: the account screen shows all quotas. */
const SHOWN_FROM_SHARE = 0.7;

/** Shows the quotas of which little is left. */
export function QuotaFacts({ quotas }: { quotas: Figures['quotas'] }) {
  const limited = QUOTA_NAMES.flatMap(name => {
    const { limit, used } = quotas[name] ?? { limit: null, used: 0 };
    // A quota of one is used up as soon as it is used, as intended.
    return limit === null || limit === 1 || used <= SHOWN_FROM_SHARE * limit ? [] : [{ name, limit, used }];
  });
  if (limited.length === 0) return null;
  return (
    <>
      <h2 className="section-title">Quotas</h2>
      <dl className="facts card">
        {limited.map(({ name, limit, used }) => {
          const text = isByteQuota(name) ? byteSize : (count: number) => count.toLocaleString();
          return (
            <div key={name}>
              <dt>{QUOTA_LABELS[name].replace(' (bytes)', '')}</dt>
              <dd className="tabular">
                {text(used)} of {text(limit)}
                <QuotaBar used={used} limit={limit} label={QUOTA_LABELS[name]} />
              </dd>
            </div>
          );
        })}
      </dl>
    </>
  );
}
