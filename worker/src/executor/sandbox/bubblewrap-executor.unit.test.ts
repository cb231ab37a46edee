import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Spawner, SpawnRequest } from '../spawner/spawner.js';
import { BubblewrapExecutor } from './bubblewrap-executor.js';

test('a start executes two programs: bubblewrap, which executes Node', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-bubblewrap-'));
  const requests: SpawnRequest[] = [];
  const start = (request: SpawnRequest) => {
    requests.push(request);
    return Promise.reject(new Error('seen'));
  };
  const executor = new BubblewrapExecutor(
    {
      bubblewrap: '/usr/bin/bwrap',
      spawner: { start, hasSharedMounts: async () => true } as unknown as Spawner,
      root: '/root-of-runs',
      nodes: { default: '/usr/bin/node', others: {}, versions: [] },
      runtime: '/runtime',
      libraries: [],
      folder,
      users: null,
      cgroups: null,
      filter: Buffer.alloc(0),
      limits: {},
      chromium: null,
      network: {
        prepare: async () => ({ file: '/run/netns/slot', command: ['nsenter'] }),
        networkArguments: () => [],
      },
    },
    { level: 'full', layers: [] },
  );
  await expect(executor.start(0, 'nodejs')).rejects.toThrow('seen');
  const [{ program = '', args = [], network = null } = {}] = requests;
  expect([program, network]).toEqual(['/usr/bin/bwrap', '/run/netns/slot']);
  expect(args.slice(args.indexOf('--'))).toEqual([
    ...['--', '/trawl/bin/node', '--max-old-space-size=512', '--disable-warning=ExperimentalWarning'],
    '/trawl/runtime/runner.cjs',
  ]);
  rmSync(folder, { recursive: true });
});
