/**
 * Lets Node 20 and 22 use the code cache of its own modules. The worker starts this process with a V8 flag that limits
 * the heap. There, V8 accepts cached code only if its flags have the same values as when the code was compiled. The heap
 * keeps its limit when the flag changes, so this module resets the flag. Import it before all others. Newer versions of
 * Node accept the cache whatever the flag says.
 * See docs/decisions/0491-runs-have-their-own-node.md.
 */
import Module from 'node:module';

const FLAG = '--max-old-space-size=';
const THREADS = ['worker_threads', 'node:worker_threads'];

type Binding = { setFlagsFromString(flags: string): void };

/** Node's internal functions, which its public types leave out. */
const loader = Module as unknown as { _load: (name: string, ...rest: unknown[]) => unknown };
const { binding } = process as unknown as { binding: (name: string) => Binding };

const given = process.execArgv.find(argument => argument.startsWith(FLAG));
const v8 = given === undefined ? null : internalV8();
if (v8 && given !== undefined) {
  v8.setFlagsFromString(`${FLAG}0`);
  const load = loader._load;
  loader._load = (name, ...rest) => {
    // The heap of a thread gets its limit from the flag.
    if (THREADS.includes(name)) v8.setFlagsFromString(given);
    return load(name, ...rest);
  };
}

/**
 * Returns the internal part of the module that sets V8's flags, which Node 20 and 22 offer with a warning; null in newer
 * versions. The module itself, `node:v8`, is large and takes 4 ms to load.
 */
function internalV8(): Binding | null {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  try {
    return binding('v8');
  } catch {
    return null;
  } finally {
    process.noDeprecation = noDeprecation as boolean;
  }
}
