// @ts-check
import { randomBytes } from 'node:crypto';
import { printBanner } from './start/banner.mjs';
import { build } from './start/build.mjs';
import { runSample } from './start/first-run.mjs';
import { install } from './start/install.mjs';
import { checkNodeVersion } from './start/node-version.mjs';
import { fromRoot } from './start/paths.mjs';
import { startPlatform } from './start/platform.mjs';
import { checkPorts, freePair } from './start/ports.mjs';
import { explain } from './start/problem.mjs';
import { areSamplesLoaded, loadSamples, rememberSamples } from './start/samples.mjs';
import { readSettings } from './start/settings.mjs';
import { Shutdown } from './start/shutdown.mjs';
import { errorLine, line, paint, progress } from './start/terminal.mjs';

const isDemo = process.argv.includes('--demo');
const shutdown = new Shutdown();

try {
  checkNodeVersion();
  const settings = isDemo ? await demoSettings() : readSettings();
  await checkPorts(settings);
  await install();
  await build({ everything: false, publicUrl: settings.publicUrl });
  const platform = await startPlatform(settings, part => shutdown.add(part));
  if (isDemo || !areSamplesLoaded(platform.dataDir)) await firstStart(platform);
  if (isDemo) {
    await shutdown.stop(0);
  } else {
    printBanner(platform);
    shutdown.ready();
  }
} catch (error) {
  if (!shutdown.isStopping) {
    errorLine(explain(error));
    await shutdown.stop(1);
  }
}

/** @param {import('./start/platform.mjs').Platform} platform */
async function firstStart({ developer, siteAddress, dataDir }) {
  if (!developer) return;
  const { samples, first } = await progress('Loading the sample skripts', () => loadSamples(developer, siteAddress));
  line(`${paint.quiet('·')} ${samples.length} sample skripts: ${samples.map(({ title }) => title).join(', ')}`);
  await runSample(developer, first);
  rememberSamples(dataDir);
}

/**
 * The demo has ports and a data folder of its own, so that it works beside a Trawl that runs, and always begins from
 * nothing. Its PostgreSQL is always the embedded one: the accounts of another would have other passwords.
 */
async function demoSettings() {
  const settings = readSettings();
  const port = await freePair();
  const requestedDataDir = fromRoot(`.trawl-demo-${randomBytes(4).toString('hex')}`);
  const { POSTGRES_URL, TRAWL_SECRET, TRAWL_PUBLIC_URL, ...env } = settings.env;
  return {
    ...settings,
    port,
    sitePort: port + 1,
    host: '127.0.0.1',
    requestedDataDir,
    isTemporary: true,
    postgresUrl: undefined,
    env,
  };
}
