import type { Echo } from '@trawl/client';
import type { Context } from '../../context.js';
import { findRun } from '../../remote-run/find-run.js';
import { follow as followRun, requireEnd } from '../../remote-run/remote-run.js';
import { connect, FOLLOW_FOR_MS } from '../../session/connect.js';
import { safeJson } from '../../terminal/clean.js';

export interface LogsOptions {
  /** Continue until the run has ended. */
  follow?: boolean;
}

/**
 * Prints the echoes of a run: of the one with this id, or else of the skript's latest one. When it follows a run, it fails
 * as the run does.
 */
export default async function logs(
  named: string | undefined,
  { follow = false }: LogsOptions,
  context: Context,
): Promise<void> {
  const { output } = context;
  const trawl = await connect(context, follow ? FOLLOW_FOR_MS : undefined);
  const id = await findRun(trawl, named);
  const show = (echo: Echo) => {
    if (output.isJson) output.stdout.write(`${safeJson(echo)}\n`);
    else output.echo(echo, output.stdout);
  };
  if (follow) return requireEnd(await followRun(trawl, trawl.runById(id), context, show));
  for await (const echo of trawl.logs(id, { follow: false })) show(echo);
}
