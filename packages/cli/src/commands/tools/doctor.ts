import { unwrap } from '@trawl/client';
import { mainFilesIn } from '@trawl/contracts';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { explain } from '../../explain.js';
import { Failure } from '../../failure.js';
import { describeSandbox, openWorker } from '../../local-run/open-worker.js';
import { accountOf, connect } from '../../session/connect.js';
import { credentialsPath } from '../../session/credentials.js';
import { readManifest } from '../../skript-folder/manifest.js';
import { readSkriptFolder } from '../../skript-folder/read-folder.js';

interface Check {
  name: string;
  ok: boolean;
  text: string;
}

/** Checks what the other commands need, and says what to do about each problem. */
export default async function doctor(_options: object, context: Context): Promise<void> {
  const { output } = context;
  const checks = [
    await check('Node.js', async () => process.version),
    await check('Account', async () => {
      const { url, source } = await accountOf(context);
      return `${url}, from ${source} (${credentialsPath()})`;
    }),
    await check('Platform', async () => {
      const { api } = await connect(context);
      const { username, role } = await unwrap(api.GET('/joint-api/account'));
      return `signed in as ${username} (${role})`;
    }),
    await check('Workers', () => workers(context)),
    ...(await localRuns(output)),
    await check('Skript', skriptHere),
  ];
  if (output.isJson) output.result(checks);
  else for (const { name, ok, text } of checks) output.result(null, `${ok ? 'ok     ' : 'PROBLEM'}  ${name}: ${text}`);
  if (checks.some(({ ok }) => !ok)) throw new Failure('Something is not as it should be.', EXIT.failed);
}

async function check(name: string, work: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, text: await work() };
  } catch (error) {
    return { name, ok: false, text: explain(error).text };
  }
}

/** Checks what runs on this computer need. */
async function localRuns(output: Context['output']): Promise<Check[]> {
  const opening = openWorker(process.cwd(), output);
  const checks = [
    await check('Sandbox', async () => describeSandbox(await opening)),
    await check(
      'Browser',
      async () => (await opening).chromium ?? 'none; skripts with a browser run only on the platform',
    ),
  ];
  await opening.then(worker => worker.close()).catch(() => {});
  return checks;
}

async function workers(context: Context): Promise<string> {
  const { api } = await connect(context);
  const { items } = await unwrap(api.GET('/apps/workers/list', { params: { query: { limit: 1_000 } } }));
  const usable = items.filter(({ status, usable }) => usable && status === 'online');
  if (usable.length === 0)
    throw new Failure('No worker is online that can run your skripts. Ask an administrator for one.');
  return `${usable.length} online, with the environments ${[...new Set(usable.flatMap(worker => worker.environments))].join(', ')}`;
}

async function skriptHere(): Promise<string> {
  const folder = process.cwd();
  if (!(await readManifest(folder))) return 'this folder is not one of a skript';
  const { manifest, files, skipped } = await readSkriptFolder(folder);
  if (mainFilesIn(files.keys()).length === 0)
    throw new Failure(`${manifest.title} has no main.js, where a run starts.`);
  return `${manifest.title} with ${files.size} files${skipped.length > 0 ? `; not uploaded: ${skipped.join(', ')}` : ''}`;
}
