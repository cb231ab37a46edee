import { connectedWorker } from '../connected-worker.js';

/** The worker of all tests in this folder. */
export const { platform, worker } = connectedWorker();

// A test that failed leaves its runs to no other test.
afterEach(() => platform.stopRuns());
