// @ts-check
// `npm run dev`: the platform with live reload. The compiler watches the sources, backend and worker restart when the
// compiled code changes, and Vite's development server serves the panel.
import { spawn } from 'node:child_process';
import { buildDatabases, buildPanelAndCommandLine, buildPlatform, buildWorkerRuntime } from './common/build.mjs';
import { install } from './common/install.mjs';
import { checkNodeVersion } from './common/node-version.mjs';
import { fromRoot, ROOT } from './common/paths.mjs';
import { explain } from './common/problem.mjs';
import { errorLine, line, paint } from './common/terminal.mjs';
import { follow } from './dev/follow.mjs';
import { printBanner } from './start/banner.mjs';
import { startDatabases, startPlatform } from './start/platform.mjs';
import { checkPorts } from './start/ports.mjs';
import { readSettings } from './start/settings.mjs';
import { Shutdown } from './start/shutdown.mjs';
import { announceWebsite, buildAnnouncedWebsite } from './start/website.mjs';

const PANEL_PORT = 5173;
/** @param {string[]} rooms */
const compiled = (...rooms) => rooms.map(room => fromRoot(room, 'dist'));
const BACKEND_PROGRAMS = compiled('backend', 'packages/bundler', 'packages/contracts', 'packages/tracing');
const WORKER_PROGRAMS = compiled(
  'worker',
  ...['contracts', 'echo', 'folder-lock', 'functionflow', 'httpclient', 'older-puppeteer', 'storage', 'tracing'].map(
    name => `packages/${name}`,
  ),
);
const shutdown = new Shutdown();

try {
  checkNodeVersion();
  const settings = readSettings();
  await checkPorts(settings);
  await install();
  await buildDatabases();
  const databases = await startDatabases(settings, part => shutdown.add(part));
  await buildPlatform();
  await buildPanelAndCommandLine();
  announceWebsite();
  const platform = await startPlatform(settings, databases, part => shutdown.add(part));
  shutdown.add(follow(BACKEND_PROGRAMS, () => restart(platform.backend, 'The backend')));
  shutdown.add(
    follow(WORKER_PROGRAMS, async () => {
      await buildWorkerRuntime();
      await restart(platform.worker, 'The worker');
    }),
  );
  watch(['node_modules/typescript/bin/tsc', '-b', '-w', '--preserveWatchOutput'], ROOT);
  watch([fromRoot('node_modules/vite/bin/vite.js'), '--port', String(PANEL_PORT), '--strictPort'], fromRoot('panel'), {
    TRAWL_BACKEND_URL: platform.address,
  });
  printBanner(platform);
  line(`  ${paint.quiet('Panel, live')}    http://localhost:${PANEL_PORT}/panel/login`);
  shutdown.ready();
  await buildAnnouncedWebsite(() => shutdown.isStopping);
} catch (error) {
  if (!shutdown.isStopping) {
    errorLine(explain(error));
    await shutdown.stop(1);
  }
}

/**
 * @param {import('./common/child.mjs').Child | undefined} child
 * @param {string} name
 */
async function restart(child, name) {
  await child?.restart();
  if (child) line(`${paint.quiet('·')} ${name} was started again with what has changed`);
}

/**
 * Runs a development tool that writes to this terminal.
 * @param {string[]} args of node
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} [env]
 */
function watch(args, cwd, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  shutdown.add({
    stop: async () => {
      // Stop the whole process group, because the command that was started is only the parent of the compiler.
      if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    },
  });
}
