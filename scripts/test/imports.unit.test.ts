import { whyNot } from '../imports.mjs';

const rooms = [
  { name: '@trawl/backend', path: 'backend' },
  { name: '@trawl/worker', path: 'worker' },
  { name: '@trawl/contracts', path: 'packages/contracts' },
  { name: '@trawl/storage', path: 'packages/storage' },
];

function judge(from: string, specifier: string): string | undefined {
  const room = rooms.find(({ path }) => from.startsWith(`${path}/`));
  if (!room) throw new Error(`No room for ${from}`);
  return whyNot(rooms, room, from, specifier);
}

test.each([
  ['backend/src/main.ts', '@trawl/contracts', 'an app a package'],
  ['backend/src/main.ts', './app.js', 'a neighbour'],
  ['backend/src/auth/a.ts', '../common/b.js', 'within the room'],
  ['backend/src/main.ts', '@trawl/contractsque', 'a library of a similar name'],
  ['packages/storage/src/index.ts', '@trawl/contracts', 'a package another package'],
  ['packages/contracts/src/index.ts', 'zod', 'a library'],
])('%s may import %s (%s)', (from, specifier) => {
  expect(judge(from, specifier)).toBeUndefined();
});

test.each([
  ['backend/src/main.ts', '@trawl/worker', /apps never import each other/],
  ['backend/src/main.ts', '../../worker/src/x.js', /relative import stays in its room/],
  ['backend/src/main.ts', '../../packages/contracts/src/index.js', /relative import stays in its room/],
  ['packages/storage/src/index.ts', '@trawl/backend/thing', /packages import no app/],
  ['packages/contracts/src/index.ts', '@trawl/storage', /imports nothing of ours/],
])('%s may not import %s, and the message says why', (from, specifier, reason) => {
  expect(judge(from, specifier)).toMatch(reason);
});
