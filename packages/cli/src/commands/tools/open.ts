import { spawn } from 'node:child_process';
import { unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { accountOf, connect } from '../../session/connect.js';
import { currentTitle } from '../../skript-folder/find-folder.js';
import { isInteractive } from '../../terminal/ask.js';

/** Programs that open an address in the default browser. */
const OPENERS: Partial<Record<NodeJS.Platform, [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens the panel: at the skript with this title, that of the current folder, or the dashboard. */
export default async function open(skript: string | undefined, _options: object, context: Context): Promise<void> {
  const { url } = await accountOf(context);
  const title = skript ?? (await currentTitle());
  const trawl = await connect(context);
  const { role } = await unwrap(trawl.api.GET('/joint-api/account'));
  const place = title === undefined ? 'dashboard' : `skripts/${await trawl.skriptId(title)}`;
  const address = `${url}/panel/${role}/${place}`;
  context.output.result({ url: address }, address);
  if (!isInteractive()) return;
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', () => context.output.warn(`${program} is missing, so open the address yourself.`));
  child.unref();
}
