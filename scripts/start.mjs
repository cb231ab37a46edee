// @ts-check
import { randomBytes } from 'node:crypto';
import { buildDatabases, buildPanelAndCommandLine, buildPlatform } from './common/build.mjs';
import { install } from './common/install.mjs';
import { checkNodeVersion } from './common/node-version.mjs';
import { fromRoot } from './common/paths.mjs';
import { explain } from './common/problem.mjs';
import { errorLine, line, paint, progress } from './common/terminal.mjs';
import { printBanner } from './start/banner.mjs';
import { runSample, tryRunSample } from './start/first-run.mjs';
import { startDatabases, startPlatform } from './start/platform.mjs';
import { checkPorts, freePair } from './start/ports.mjs';
import { areSamplesLoaded, loadSamples, rememberSamples } from './start/samples.mjs';
import { readSettings } from './start/settings.mjs';
import { Shutdown } from './start/shutdown.mjs';
import { announceWebsite, buildAnnouncedWebsite } from './start/website.mjs';

const isDemo = process.argv.includes('--demo');
const shutdown = new Shutdown();

try {
  checkNodeVersion();
  const settings = isDemo ? await demoSettings() : readSettings();
  await checkPorts(settings);
  await install();
  await buildDatabases();
  const databases = await startDatabases(settings, part => shutdown.add(part));
  await buildPlatform();
  // The demo opens no pages.
  const pages = isDemo ? Promise.resolve() : buildPanelAndCommandLine();
  pages.catch(() => {}); // awaited below
  if (!isDemo) announceWebsite();
  const platform = await startPlatform(settings, databases, part => shutdown.add(part));
  if (isDemo || !areSamplesLoaded(platform.dataDir)) await firstStart(platform);
  if (isDemo) {
    await shutdown.stop(0);
  } else {
    await pages;
    printBanner(platform);
    shutdown.ready();
    await buildAnnouncedWebsite(() => shutdown.isStopping);
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
  // The demo is nothing but this run.
  await (isDemo ? runSample(developer, first) : tryRunSample(developer, first));
  rememberSamples(dataDir);
}

/**
 * The demo uses its own ports and data folder, so that it works beside a running Trawl and always starts empty. It
 * always uses the embedded PostgreSQL: a PostgreSQL server of the user may already have accounts, with passwords that
 * the demo does not know.
 */
async function demoSettings() {
  const settings = readSettings();
  const port = await freePair();
  const requestedDataDir = fromRoot(`.trawl-demo-${randomBytes(4).toString('hex')}`);
  const { POSTGRES_URL, USER_POSTGRES_URL, TRAWL_SECRET, TRAWL_SECRET_PREVIOUS, TRAWL_PUBLIC_URL, ...env } =
    settings.env;
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
