import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

test('every data sample for download equals what the skript on its page produces', async () => {
  const script = join(__dirname, '../scripts/make-samples.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--check']);
  expect(stdout).toMatch(/rows, unchanged/);
}, 60_000);
