import { gzipSync } from 'node:zlib';
import type { Evidence } from '@trawl/contracts';
import { pino } from 'pino';
import type { SavedBytes } from '../../../platform/quotas/saved-bytes.service.js';
import type { WorkerConnections } from '../../workers/connections/worker-connections.service.js';
import type { EvidenceRepository } from './evidence.repository.js';
import { EvidenceCollector } from './evidence-collector.service.js';

const gz = gzipSync(JSON.stringify({ exchanges: [], page: null } satisfies Evidence));

test('an account with many failed runs leaves room for the evidence of the others', async () => {
  const saved: string[] = [];
  const expected = [...Array.from({ length: 50 }, (_, n) => `noisy ${n}`), 'quiet', 'other'];
  let wanted = expected.length;
  let ended: () => void = () => {};
  const allSaved = new Promise<void>(resolve => {
    ended = resolve;
  });
  const repository = {
    save: async (_owner: string, id: string) => {
      saved.push(id);
      if (saved.length === wanted) ended();
      return true;
    },
  } as unknown as EvidenceRepository;
  const socket = {
    connected: true,
    once: () => {},
    off: () => {},
    emit: (_event: string, _question: object, answered: (answer: object) => void) => {
      setImmediate(() => answered({ bytes: gz.length, gz }));
    },
  };
  const connections = { get: () => ({ socket }) } as unknown as WorkerConnections;
  const savedBytes = { add: () => {} } as unknown as SavedBytes;
  const collector = new EvidenceCollector(repository, connections, savedBytes, pino({ level: 'silent' }));
  const collect = (owner_id: string, id: string) => collector.collect({ id, owner_id, worker_id: 'worker' });
  for (let n = 0; n < 1_000; n += 1) collect('noisy', `noisy ${n}`);
  collect('quiet', 'quiet');
  collect('other', 'other');
  await allSaved;
  // Several are read at the same time, so they may be saved in another order.
  expect(saved.toSorted()).toEqual(expected.toSorted());
  // The places of the runs that were read are free again.
  saved.length = 0;
  wanted = 1;
  collect('noisy', 'last');
  await new Promise<void>(resolve => {
    ended = resolve;
  });
  expect(saved).toEqual(['last']);
});
