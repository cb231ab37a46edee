import { memoryPort } from '../src/local/local-port.js';
import { describeQueues } from './queue-contract.js';
import { describeStorage } from './storage-contract.js';

const PORT = Symbol.for('trawl.storage');
const globals = globalThis as Record<symbol, unknown>;

describe('storage in memory', () => {
  const memory = memoryPort();
  beforeAll(() => {
    globals[PORT] = memory.port;
  });
  afterAll(() => {
    delete globals[PORT];
  });

  describeStorage();
  describeQueues();
});
