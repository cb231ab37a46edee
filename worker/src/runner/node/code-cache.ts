/**
 * Lets Node use the code cache of its own modules. The worker starts this process with a V8 flag that limits the heap.
 * V8 accepts cached code only if its flags have the same values as when the code was compiled. The heap keeps its limit
 * when the flag changes, so this module resets the flag. Import it before all others.
 * See docs/decisions/0491-runs-have-their-own-node.md.
 */
import Module from 'node:module';
import { builtin } from './builtin.js';

const FLAG = '--max-old-space-size=';
const THREADS = ['worker_threads', 'node:worker_threads'];

type Binding = { setFlagsFromString(flags: string): void };

/** Node's internal functions, which its public types leave out. */
const loader = Module as unknown as { _load: (name: string, ...rest: unknown[]) => unknown };
const { binding } = process as unknown as { binding: (name: string) => Binding };

const given = process.execArgv.find(argument => argument.startsWith(FLAG));
if (given) {
  setFlag(`${FLAG}0`);
  const load = loader._load;
  loader._load = (name, ...rest) => {
    // The heap of a thread gets its limit from the flag.
    if (THREADS.includes(name)) setFlag(given);
    return load(name, ...rest);
  };
}

function setFlag(flag: string): void {
  v8().setFlagsFromString(flag);
}

/**
 * Returns the module that sets V8's flags. `node:v8` is large, and loading it without the code cache takes 4 ms, so this
 * uses its internal part, which Node 20 and 22 offer with a warning.
 */
function v8(): Binding {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  try {
    return binding('v8');
  } catch {
    return builtin('node:v8');
  } finally {
    process.noDeprecation = noDeprecation as boolean;
  }
}
