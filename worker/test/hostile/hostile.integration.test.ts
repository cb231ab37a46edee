import { WITH_BROWSER } from '../worker-process.js';
import { testHostileSkripts } from './test-hostile-skripts.js';

// Runs must not reach a browser that waits for another run, either. So use a worker with a browser.
testHostileSkripts(['lie', 'linger', 'reach'], WITH_BROWSER);
