/** Tests that use one worker with the default settings, because the start of a worker takes a second. */
import './shared-worker/endings.test.js';
import './shared-worker/echoes.test.js';
import './shared-worker/warm.test.js';
import './shared-worker/pause.test.js';
import './shared-worker/floods.test.js';
import './shared-worker/rows.test.js';
import './shared-worker/requests.test.js';
import './shared-worker/exchanges.test.js';
import './shared-worker/older-skripts.test.js';
import './shared-worker/folder-in-use.test.js';
import './shared-worker/protocol.test.js';
// The last test of this file ends the worker.
import './shared-worker/pool.test.js';
