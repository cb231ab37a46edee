import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LocalWorker } from '@trawl/worker/local-worker';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import type { Output } from '../terminal/output.js';

/** The runtime of the worker, which the build copies here: the runner and the built-in libraries. */
const RUNTIME = join(dirname(fileURLToPath(import.meta.url)), 'runtime');

/** Prepares the sandbox of this computer for runs of the skript in a folder. The caller closes it. */
export async function openWorker(folder: string, output: Output): Promise<LocalWorker> {
  const local = await import('@trawl/worker/local-worker');
  const settings = (() => {
    try {
      return local.readRunSettings(process.env);
    } catch (error) {
      throw new Failure((error as Error).message, EXIT.usage);
    }
  })();
  const nodeModules = join(folder, 'node_modules');
  return local.LocalWorker.open({ runtime: RUNTIME, nodeModules, settings, warn: text => output.warn(text) });
}

/** Names the layers that the sandbox lacks, in one line. */
export function tellOfSandbox({ sandbox }: LocalWorker, output: Output): void {
  const missing = sandbox.layers.flatMap(({ name, holds }) => (holds ? [] : [name]));
  if (missing.length === 0) return;
  const lacks = `The sandbox of this computer lacks: ${missing.join(', ')}.`;
  // Without namespaces, a run sees the files of the user.
  if (missing.includes('namespaces')) output.warn(`${lacks} Run only code that you trust. To see why: trawl doctor`);
  else output.note(`${lacks} To see why: trawl doctor`);
}

/** Names the version of Node if most runs on the platform have another. */
export function tellOfNode({ node: { own, platform } }: LocalWorker, output: Output): void {
  if (own.startsWith(`${platform}.`)) return;
  output.note(`This computer runs the skript with Node ${own}, the platform with Node ${platform}.`);
}

/** Describes the sandbox, with a line for each layer. */
export const describeSandbox = ({ sandbox: { level, layers } }: LocalWorker): string =>
  [level, ...layers.map(({ name, holds, note }) => `${holds ? 'has' : 'lacks'} ${name}: ${note}`)].join(
    '\n           ',
  );
