import { Binary, ObjectId, serialize } from 'bson';
import type { TestFleet, TestWorker } from '../test-worker.js';

type Row = Record<string, unknown>;

/** Starts a run that pushes rows with the key `sku` as the library does. */
export async function startKeyedRun(
  fleet: TestFleet,
  worker: TestWorker,
  query = 'wait_ms=0&force=true',
  input: unknown = null,
) {
  const { body } = await fleet.start({ input }, query);
  return { ...(await nextKeyedAttempt(worker)), id: body.id as string };
}

/** Takes the next offer of such a run, for example of its retry. */
export async function nextKeyedAttempt(worker: TestWorker) {
  const { id, token, skript } = await worker.offers.next();
  const keys = new Set<string>();
  let op_id = 0;
  const push = (rows: Row[], { partial = false } = {}) => {
    const own = partial ? { _partial: true } : {};
    const docs = rows.map(row => ({ _id: new ObjectId(), _run: id, _at: new Date(), ...own, ...row }));
    const keysOfRows = rows.map(({ sku }) => JSON.stringify({ sku }));
    for (const key of keysOfRows) keys.add(key);
    const bytes = new Binary(Buffer.concat(docs.map(doc => serialize(doc))));
    const args = serialize({ docs: bytes, keys: keysOfRows });
    const op = { collection: `dataset_${skript.id}`, method: 'upsertRows', args, rows: keys.size, resend: false };
    return worker.send('storage', { epoch: worker.welcome.epoch, id, op_id: ++op_id, token, op });
  };
  const finish = (report: object = {}) => worker.finish(id, { rows: keys.size, ...report });
  return { id, skriptId: skript.id, push, finish };
}
