import { chmodSync, existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeDataDir } from '../src/index.js';

const asRoot = process.getuid?.() === 0 ? describe : describe.skip;

let checkout: string;
const placed: string[] = [];

function place(requested: string): ReturnType<typeof placeDataDir> {
  const result = placeDataDir(requested);
  placed.push(result.dataDir);
  return result;
}

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'trawl-checkout-')); // mkdtemp makes it 0700
});

afterEach(() => {
  for (const folder of [checkout, ...placed.splice(0)]) rmSync(folder, { recursive: true, force: true });
});

asRoot('as root', () => {
  test('placeDataDir moves the data out of a folder that only root can enter, and finds it at the next start', () => {
    const asked = join(checkout, '.trawl');
    const first = place(asked);
    expect(first).toMatchObject({ movedFrom: asked, reason: expect.stringContaining(`cannot reach ${asked}`) });
    expect(first.dataDir).toMatch(/^\/var\/lib\/trawl\/trawl-checkout-\w+-[0-9a-f]{8}$/);
    expect(statSync(first.dataDir).mode & 0o777).toBe(0o711);
    expect(readlinkSync(asked)).toBe(first.dataDir);
    expect(place(asked)).toMatchObject({ dataDir: first.dataDir, movedFrom: asked });
  });

  test('placeDataDir keeps the requested folder if the databases’ users can reach it', () => {
    chmodSync(checkout, 0o711);
    expect(place(join(checkout, '.trawl'))).toEqual({ dataDir: join(checkout, '.trawl') });
  });

  test('placeDataDir fails for an unreachable folder that already holds databases', () => {
    mkdirSync(join(checkout, '.trawl', 'postgres'), { recursive: true });
    expect(() => place(join(checkout, '.trawl'))).toThrow(/holds databases.*set TRAWL_DATA_DIR/);
    expect(existsSync(join(checkout, '.trawl', 'postgres'))).toBe(true);
  });

  test('placeDataDir moves two data folders of the same name to different paths', () => {
    const [one, other] = ['a', 'b'].map(name => place(join(checkout, name, '.trawl')).dataDir);
    expect(one).not.toBe(other);
  });
});
