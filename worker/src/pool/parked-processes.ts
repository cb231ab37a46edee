import type { Environment } from '@trawl/contracts';
import { runEnvironment } from '../environments/environments.js';
import type { ParkedCount } from './pool-size.js';
import type { PooledProcess } from './pooled-process.js';

/** The processes that have loaded the runner and wait for their first run, oldest first. */
export class ParkedProcesses extends Set<PooledProcess> {
  /** Lists the processes of an environment. */
  of(environment: Environment): PooledProcess[] {
    return [...this].filter(process => process.environment === environment);
  }

  /** Returns the process that costs least to replace: one without a browser, if there is one. */
  get cheapest(): PooledProcess | undefined {
    const all = [...this];
    return all.find(({ environment }) => !runEnvironment(environment).hasChromium) ?? all[0];
  }

  /** Lists the processes that a sleeping pool does not keep. */
  beyondAsleep(counts: Map<Environment, ParkedCount>): PooledProcess[] {
    return [...counts].flatMap(([environment, { asleep }]) => this.of(environment).slice(asleep));
  }

  get unprepared(): PooledProcess | undefined {
    return [...this].find(({ isPrepared }) => !isPrepared);
  }
}
