import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { follow } from '../dev/follow.mjs';

// Nothing here is about time, and the machine may be busy.
jest.setTimeout(60_000);

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

test('a program that was compiled anew is followed, wherever below the folder; what is made of it is not', async () => {
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

test('one failure does not end the following', async () => {
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
