import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

test('every sample for download is what the skript on its page makes', async () => {
  const script = join(__dirname, '../scripts/make-samples.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--check']);
  expect(stdout).toMatch(/rows, unchanged/);
}, 60_000);
