import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CappedLog } from '../src/index.js';

test('CappedLog keeps the newest lines, in at most twice its maximum size', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-log-'));
  try {
    const path = join(folder, 'backend.log');
    const log = new CappedLog(path, 20);
    for (let line = 1; line <= 7; line++) log.write(`line ${line}\n`);
    log.close();
    expect(readFileSync(`${path}.1`, 'utf8') + readFileSync(path, 'utf8')).toBe('line 5\nline 6\nline 7\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
