import { unique, type World } from '../world.js';
import type { Call, Routes } from './route.js';

const some = (): Call => ({ path: { domain: `${unique()}.example` } });

/** A domain with settings. */
async function withSettings({ app, owner }: World): Promise<Call> {
  const call = some();
  await app.sql('INSERT INTO polite_domains (owner_id, domain, requests_per_second, burst) VALUES ($1, $2, 1, 1)', [
    owner.id,
    call.path?.domain,
  ]);
  return call;
}

/** Settings of so many domains that no other can have some. */
async function full({ app, owner }: World): Promise<Call> {
  await app.sql(
    `INSERT INTO polite_domains (owner_id, domain, requests_per_second, burst)
     SELECT $1, 'full' || n, 1, 1 FROM generate_series(1, 1000) n ON CONFLICT DO NOTHING`,
    [owner.id],
  );
  return { ...some(), body: {} };
}

export const politeDomainRoutes: Routes = {
  listPoliteDomains: { access: 'own' },
  getPoliteDomain: { access: 'own', call: some },
  setPoliteDomain: {
    access: 'own',
    scope: 'all',
    call: () => ({ path: { domain: 'shop.example' }, body: { requests_per_second: 1, burst: 1 } }),
    errors: { quota_exceeded: full },
  },
  reopenPoliteDomain: { access: 'own', scope: 'all', call: some },
  resetPoliteDomain: { access: 'owned', call: withSettings, errors: { not_found: some } },
};
