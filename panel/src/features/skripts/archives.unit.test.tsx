/** @jest-environment ./panel/jest-environment.cjs */
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { listOf, press, sent, showScreen } from '../../test-screen.js';
import { archiveName } from './api/download-skript.js';
import { SkriptsMenu } from './components/skripts-menu.js';
import { UploadModal } from './components/upload-modal.js';
import { VersionsTab } from './components/versions-tab.js';
import { diffLines } from './diff-lines.js';

const changes = () => sent.filter(({ call }) => !call.startsWith('GET'));
const HASH = 'a'.repeat(64);
const VERSIONS = 'GET /joint-api/skripts/s1/versions/list';
const VERSION = {
  hash: HASH,
  size: 2310,
  built_by: { id: 'u1', username: 'ada' },
  built_at: '2026-02-15T09:30:00.000Z',
  builds: 1,
  created_at: '2026-02-15T09:30:00.000Z',
  current: false,
};

afterEach(cleanup);

describe('uploading a skript', () => {
  const UPLOAD = 'POST /joint-api/skripts/upload';
  const upload = async () => {
    const field = document.querySelector('input[type="file"]') as HTMLInputElement;
    const archive = new File(['"a zip"'], 'books.zip');
    await act(async () => fireEvent.change(field, { target: { files: [archive] } }));
    await press('Upload');
  };
  const open = (answer: { status?: number; body: unknown }) =>
    showScreen(<UploadModal onClose={() => {}} editorHref={id => `/skripts/${id}`} />, { [UPLOAD]: answer });

  it('says what it overwrote, and leads to the editor', async () => {
    const same = { added: 0, changed: 0, unchanged: 1, removed: 0 };
    open({
      body: {
        overwritten: true,
        skript: { id: 's1', title: 'Books' },
        files: { ...same, changed: 2, removed: 1 },
        inputs: same,
        input_secrets: same,
      },
    });
    expect(screen.getByText(/has the same title is overwritten/)).toBeTruthy();
    await upload();
    expect(await screen.findByText('Books was overwritten')).toBeTruthy();
    expect(screen.getByText('Files: 2 changed, 1 removed.')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Open the editor' }).getAttribute('href')).toBe('/skripts/s1');
  });

  it('says why an archive was refused, and asks for one where there is none', async () => {
    open({ status: 422, body: { error_message: 'The archive has no manifest.json.' } });
    await press('Upload');
    expect(screen.getByText('Choose the archive to upload')).toBeTruthy();
    expect(sent).toEqual([]);
    await upload();
    expect((await screen.findByRole('alert')).textContent).toContain('The archive has no manifest.json.');
  });
});

it('all skripts are deleted only after a question that says how many, and what stays is named', async () => {
  showScreen(<SkriptsMenu />, {
    'GET /joint-api/skripts/list': { body: { total: 12, items: [] } },
    'POST /joint-api/skripts/purge': {
      body: { deleted: { skripts: 11 }, kept: [{ id: 's1', title: 'Books', execution_id: 'e1' }] },
    },
  });
  await waitFor(() => expect(sent).toHaveLength(1));
  await press('More for all skripts');
  const entry = await screen.findByRole('menuitem', { name: 'Delete all skripts…' });
  await act(async () => fireEvent.click(entry));
  expect(await screen.findByText('Delete all 12 skripts?')).toBeTruthy();
  expect(changes()).toEqual([]);
  await press('Delete all skripts');
  expect(await screen.findByText(/11 skripts are deleted\..*they stay: Books\./)).toBeTruthy();
  expect(changes().map(({ body }) => body)).toEqual([{ confirm: true }]);
});

describe('the versions of a skript', () => {
  const RESTORE = `POST /joint-api/skripts/s1/versions/${HASH}/restore`;
  const open = (isDirty: boolean) =>
    showScreen(<VersionsTab skriptId="s1" isDirty={isDirty} />, {
      [VERSIONS]: listOf(VERSION),
      'GET /joint-api/skripts/s1/versions/compare': {
        body: { files: [{ name: 'main.js', change: 'changed', diff: '--- a\n+++ b\n@@ -1 +1 @@\n-one\n+two\n' }] },
      },
      [RESTORE]: { body: { skript: {}, files: { added: 0, changed: 1, unchanged: 0, removed: 0 } } },
    });

  it('are compared with the files as they are now', async () => {
    open(false);
    await press(/^Compare the version/);
    expect((await screen.findByRole('region', { name: 'main.js' })).textContent).toContain('removed: -one');
    expect(sent.at(-1)?.call).toContain(`from=${HASH}&to=current`);
  });

  it('are restored only after a question', async () => {
    open(false);
    await press(/^Restore the version of/);
    expect(await screen.findByText(/Files that were added since are removed/)).toBeTruthy();
    expect(changes()).toEqual([]);
    await press('Restore the version');
    await waitFor(() => expect(changes().map(({ call }) => call)).toEqual([RESTORE]));
  });

  it('are not restored over what was typed and not saved', async () => {
    open(true);
    expect(await screen.findByText(/Save your changes before/)).toBeTruthy();
    await press(/^Restore the version of/);
    expect(screen.queryByText(/Files that were added since/)).toBeNull();
  });
});

it('a unified diff is read line by line, without the lines that name its file', () => {
  expect(diffLines('--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n--- gone\n+++ new\n')).toEqual([
    { kind: 'place', text: '@@ -1,2 +1,2 @@' },
    { kind: 'same', text: ' same' },
    { kind: 'removed', text: '--- gone' },
    { kind: 'added', text: '+++ new' },
  ]);
  expect(diffLines('')).toEqual([]);
});

it.each([
  ['Books catalogue', 'books-catalogue.zip'],
  ['../../etc', 'etc.zip'],
  ['Čamci & mreže', 'čamci-mreže.zip'],
  ['//', 'skript.zip'],
])('the archive of %j is called %s', (title, name) => expect(archiveName(title)).toBe(name));
