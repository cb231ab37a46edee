import { byteSize } from '@trawl/contracts';
import { useAccount } from '../../../api/requests/get-account.js';
import { QuotaBar } from '../../../components/values/quota-bar.js';

/** Id of the text that says why the account can have no more databases. */
export const DATABASES_FULL = 'databases-full';

/** Returns whether the account has as many databases as its quota allows. */
export function useDatabasesFull(): boolean {
  const databases = useAccount().data?.quotas.databases;
  return databases !== undefined && databases.limit !== null && databases.used >= databases.limit;
}
const MEASURED = 'Documents are measured before compression, so their size on disk differs.';

/** Shows how much of the account's storage is used, and of how much. */
export function StorageUse() {
  const quotas = useAccount().data?.quotas;
  const hasAllDatabases = useDatabasesFull();
  if (!quotas) return null;
  const { used, limit } = quotas.storage_bytes;
  const { used: databases, limit: maxDatabases } = quotas.databases;
  const share = limit === null ? 0 : (used / Math.max(1, limit)) * 100;
  const isFull = limit !== null && used >= limit;
  return (
    <section className="storage-use card" aria-label="Storage in use">
      <div>
        <span className="figure-label">Storage in use</span>
        <strong className="storage-size tabular">
          {byteSize(used)} {limit !== null && <span>of {byteSize(limit)}</span>}
        </strong>
      </div>
      {limit === null ? (
        <p className="tab-note">Your account has no limit. {MEASURED}</p>
      ) : (
        <div className="storage-bar">
          <QuotaBar used={used} limit={limit} label="Share of the storage limit in use" />
          <p className="tab-note">
            {isFull
              ? 'Your storage is full, so runs can no longer store data. Delete data, or ask an administrator for more.'
              : `${share < 1 ? 'Less than 1' : Math.floor(share)} % of your limit. ${MEASURED}`}
          </p>
        </div>
      )}
      <div>
        <span className="figure-label">MongoDB databases</span>
        <strong className="storage-size tabular">
          {databases} {maxDatabases !== null && <span>of {maxDatabases}</span>}
        </strong>
        {hasAllDatabases && (
          <p className="tab-note" id={DATABASES_FULL}>
            To create another, delete one, or ask an administrator for more.
          </p>
        )}
      </div>
    </section>
  );
}
