import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { follow } from '../dev/follow.mjs';

let folder: string;
let following: ReturnType<typeof follow> | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-follow-'));
  mkdirSync(join(folder, 'runtime'));
  mkdirSync(join(folder, 'runner'));
});

afterEach(async () => {
  await following?.stop();
  rmSync(folder, { recursive: true });
});

test('`follow` calls back for each recompiled program, but not for files that the callback writes', async () => {
  let calls = 0;
  let called = () => {};
  following = follow([folder], async () => {
    calls += 1;
    writeFileSync(join(folder, 'runtime', 'made.js'), '');
    called();
  });
  for (const expected of [1, 2]) {
    const call = new Promise<void>(resolve => (called = resolve));
    writeFileSync(join(folder, 'runner', 'main.js'), `// ${expected}`);
    await call;
    expect(calls).toBe(expected);
  }
});

test('`follow` prints the error of a callback that fails, and continues to follow', async () => {
  const shown = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    let called = () => {};
    following = follow([folder], async () => {
      called();
      throw new Error('The program cannot be built.');
    });
    for (const text of ['// 1', '// 2']) {
      const call = new Promise<void>(resolve => (called = resolve));
      writeFileSync(join(folder, 'main.js'), text);
      await call;
    }
    expect(String(shown.mock.calls[0]?.[0])).toContain('The program cannot be built.');
  } finally {
    shown.mockRestore();
  }
});
