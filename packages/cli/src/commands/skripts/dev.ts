import type { Context } from '../../context.js';
import type { StartOptions } from '../../local-run/start-locally.js';
import { watchLocally } from '../../watch/watch-locally.js';
import { watchRemotely } from '../../watch/watch-remotely.js';

export interface DevOptions extends StartOptions {
  /** Run on the platform. */
  remote?: boolean;
}

/** Runs the skript again on each save. */
export default async function dev({ remote, ...options }: DevOptions, context: Context): Promise<void> {
  await (remote ? watchRemotely(options, context) : watchLocally(options, context));
}
