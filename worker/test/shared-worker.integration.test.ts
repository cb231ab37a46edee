/** Tests that use one worker with the default settings, because the start of a worker takes a second. */
import './shared-worker/endings.js';
import './shared-worker/echoes.js';
import './shared-worker/warm.js';
import './shared-worker/pause.js';
import './shared-worker/floods.js';
import './shared-worker/rows.js';
import './shared-worker/older-skripts.js';
import './shared-worker/folder-in-use.js';
import './shared-worker/protocol.js';
// The last test of this file ends the worker.
import './shared-worker/pool.js';
