/**
 * The process of the relay (`relay.ts`): it connects runs with the services on the machine's loopback that they may use,
 * because each run has a loopback of its own. It is a separate process, so that the traffic of runs does not take the
 * worker's time. It ends when its standard input closes.
 */
import { createInterface } from 'node:readline';
import { ignoreStopSignals } from '../../process/helper-process.js';
import { relay } from './relay.js';
import type { RelayAnswer, RelayedTarget, RelayLine, RelayTarget } from './relay-messages.js';

/** User id of `nobody`, a user without rights. */
const NOBODY = 65_534;

const known = new Map<string, RelayedTarget>();

ignoreStopSignals();
if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}

createInterface({ input: process.stdin })
  .on('line', text => void answer(JSON.parse(text) as RelayLine))
  .on('close', () => process.exit());

async function answer({ host, targets }: RelayLine): Promise<void> {
  let line: RelayAnswer;
  try {
    line = { relayed: await Promise.all(targets.map(target => relayOnce(host, target))) };
  } catch (error) {
    line = { failed: String(error) };
  }
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** A target keeps its port: when it leaves the list, the rules no longer let runs reach this port. */
async function relayOnce(host: string, target: RelayTarget): Promise<RelayedTarget> {
  const key = `${target.protocol} ${target.address} ${target.port}`;
  const relayed = known.get(key) ?? (await relay(host, target));
  known.set(key, relayed);
  return relayed;
}
