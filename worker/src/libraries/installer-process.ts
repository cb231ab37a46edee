/**
 * The installer: a helper process of the worker that does everything with libraries that takes long. It installs locks,
 * each in one more process that runs npm without rights, and removes folders with many files. The worker's own loop is
 * never busy with them, and other programs get a processor before it.
 */
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_RUN_NODE, RUN_NODES } from '@trawl/contracts/run-nodes';
import { installLibraries, NpmError, npmRegistry, type Written } from '@trawl/libraries';
import { ignoreStopSignals } from '../process/helper-process.js';
import { removeFolder } from '../process/remove-folder.js';
import type { FromInstaller, InstallRequest, ToInstaller } from './installer-messages.js';
import { readOnly } from './read-only.js';

const installations = new Map<number, AbortController>();
const registries = new Map<string | undefined, Promise<string | null>>();

ignoreStopSignals();
yieldToOthers();
process.on('message', message => void execute(message as ToInstaller));
// The worker has ended. Its npm processes end with this one, because their input closes.
process.on('disconnect', () => process.exit(0));
process.stdin.on('close', () => process.exit(0)).resume();

async function execute(message: ToInstaller): Promise<void> {
  const { n } = message;
  if (message.t === 'abort') {
    installations.get(n)?.abort(new Error('aborted'));
    return;
  }
  try {
    const written = message.t === 'install' ? await install(n, message) : await removeFolder(message.folder);
    answer({ t: 'done', n, written: written ?? null });
  } catch (error) {
    const failure = error instanceof NpmError ? error.failure : null;
    answer({ t: 'failed', n, failure, text: error instanceof Error ? error.message : String(error) });
  } finally {
    installations.delete(n);
  }
}

async function install(n: number, request: InstallRequest): Promise<Written> {
  const { lock, folder, registry, limits, timeLimitMs, slowMs } = request;
  const abort = new AbortController();
  installations.set(n, abort);
  const known = registries.get(registry) ?? npmRegistry(registry);
  registries.set(registry, known);
  const cache = join(folder, 'cache');
  await mkdir(cache);
  const node = RUN_NODES[DEFAULT_RUN_NODE];
  const onSlow = () => answer({ t: 'slow', n });
  const timing = { timeLimitMs, slowMs, onSlow, signal: abort.signal };
  const options = { folder, cache, registry: await known, node, limits, ...timing };
  const written = await installLibraries(lock, options);
  await removeFolder(cache);
  await readOnly(folder);
  return written;
}

function answer(message: FromInstaller): void {
  // Ignore errors of sending: without the worker, this process ends.
  process.send?.(message, undefined, undefined, () => {});
}

/** The kernel compares priorities only within the group of a session, and this process has a session of its own. */
function yieldToOthers(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    writeFileSync('/proc/self/autogroup', String(constants.priority.PRIORITY_BELOW_NORMAL));
  } catch {
    // The system has no such groups.
  }
}
