import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest, makeWorkerAndSkript } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { ReconciliationService } from './reconciliation.service.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);

const execution = async (id: string) => (await developer('GET', `/joint-api/skript-execution/${id}`)).body;

describe('a run of an account that needs the full sandbox', () => {
  const firstAccount = (is: boolean) => app.sql(`UPDATE users SET built_in = $1 WHERE username = 'developer'`, [is]);
  beforeEach(() => firstAccount(false));
  afterEach(() => firstAccount(true));

  it('fails without an offer if its worker reconnects without the full sandbox', async () => {
    (await fleet.connect({ sandbox: 'full' })).close();
    await fleet.untilOffline();
    const waiting = [await fleet.start({ input: 1 }), await fleet.start({ input: 2 })].map(({ body }) => body.id);
    const worker = await fleet.connect({ sandbox: 'none' });
    for (const id of waiting) {
      const ended = await until(
        () => execution(id),
        ({ action }) => action !== 'start',
      );
      expect(ended).toMatchObject({ action: 'error', error_code: 'start_failed' });
      expect(ended.error_stack).toContain('without the full sandbox');
    }
    expect(worker.offers.all).toEqual([]);
  });

  it('keeps waiting for a worker with the full sandbox if it was requested for any worker', async () => {
    const other = await makeWorkerAndSkript(app, 'full');
    (await other.connect({ sandbox: 'full' })).close();
    await other.untilOffline();
    const { body } = await fleet.start({ worker_id: 'any' });
    let worker = await fleet.connect({ sandbox: 'reduced' });
    await app.part(ReconciliationService).reconcileAll();
    expect([worker.offers.all, (await execution(body.id)).action]).toEqual([[], 'start']);
    worker.close();
    worker = await other.connect({ sandbox: 'full' });
    // The test's worker sends no heartbeats, and a busy machine may need longer than its lease until it offers the run.
    await app.sql(`UPDATE worker_leases SET lease_until = now() + interval '1 hour'`);
    expect((await worker.offers.next()).id).toBe(body.id);
  });

  it('fails instead of being offered again if its worker reconnects with a weaker sandbox', async () => {
    const first = await fleet.connect({ sandbox: 'full' });
    first.answerToOffers = 'none';
    const { body } = await fleet.start();
    await first.offers.next();
    const worker = await fleet.connect({ sandbox: 'none', boot_id: first.bootId });
    const ended = await until(
      () => execution(body.id),
      ({ action }) => action !== 'start',
    );
    expect([ended.error_code, worker.offers.all]).toEqual(['start_failed', []]);
  });
});
