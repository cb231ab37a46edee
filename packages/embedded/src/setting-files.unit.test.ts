import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsWithFiles } from './setting-files.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-settings-'));
  writeFileSync(join(folder, 'secret'), 'from the file\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (env: Record<string, string>) => settingsWithFiles(env, ['SECRET', 'OTHER']);

it('a setting is read from the file that NAME_FILE names, without its last line break', () => {
  expect(read({ SECRET_FILE: join(folder, 'secret'), OTHER: 'plain' })).toMatchObject({
    SECRET: 'from the file',
    OTHER: 'plain',
  });
});

it('empty variables and the files of unknown settings are ignored', () => {
  expect(read({ SECRET: '', SECRET_FILE: join(folder, 'secret'), OTHER: '', UNKNOWN_FILE: '/nowhere' })).toEqual({
    SECRET: 'from the file',
    SECRET_FILE: join(folder, 'secret'),
    UNKNOWN_FILE: '/nowhere',
  });
});

it('a setting that is set both directly and by file is refused, and so is an unreadable file', () => {
  expect(() => read({ SECRET: 'a', SECRET_FILE: join(folder, 'secret') })).toThrow(
    'SECRET_FILE: set either this or SECRET, not both',
  );
  expect(() => read({ OTHER_FILE: join(folder, 'missing') })).toThrow(/^OTHER_FILE: the file cannot be read \(ENOENT/);
});
