import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { changes, fill, listOf, press, pressMore, sent, showScreen } from '../../test-screen.js';
import { archiveName } from './api/download-skript.js';
import { NewSkriptModal } from './components/new-skript-modal.js';
import { SkriptsMenu } from './components/skripts-menu.js';
import { UploadModal } from './components/upload-modal.js';
import { pack } from './dropped/pack.js';
import { VersionsTab } from './versions/components/versions-tab.js';
import { sideBySide } from './versions/side-by-side.js';

const HASH = 'a'.repeat(64);
const VERSIONS = 'GET /joint-api/skripts/s1/versions/list';
const VERSION = {
  hash: HASH,
  number: 2,
  size: 2310,
  built_by: { id: 'u1', username: 'ada' },
  built_at: '2026-02-15T09:30:00.000Z',
  builds: 1,
  created_at: '2026-02-15T09:30:00.000Z',
  current: false,
};
const OLDER = { ...VERSION, hash: 'b'.repeat(64), number: 1, built_at: '2026-02-14T09:30:00.000Z' };

jest.mock(
  'virtual:skript-templates',
  () => ({ __esModule: true, default: { browser: { 'main.js': '', 'input.json': '{}' } } }),
  { virtual: true },
);

jest.mock('./dropped/pack.js', () => ({ pack: jest.fn(async () => new File(['"a zip"'], 'books.zip')) }));

it('a skript is created from a template in one request; a taken title makes the panel ask for another', async () => {
  showScreen(<NewSkriptModal onClose={() => {}} editorHref={id => `/skripts/${id}`} />, {
    'POST /joint-api/skripts/upload': { status: 409, body: { error_code: 'title_taken', error_message: 'Taken.' } },
  });
  await fill(/^Title/, 'Books');
  await act(async () => fireEvent.click(screen.getByRole('option', { name: /^browser: / })));
  await press('Create skript');
  expect(await screen.findByText('You already have a skript titled “Books”. Choose another title.')).toBeTruthy();
  expect(screen.queryByText('Taken.')).toBeNull();
  expect(changes()).toMatchObject([{ call: 'POST /joint-api/skripts/upload?overwrite=false' }]);
  const files = jest.mocked(pack).mock.calls[0]?.[0].files ?? [];
  const texts = Object.fromEntries(files.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]));
  expect(Object.keys(texts)).toEqual(['main.js', 'input.json', 'manifest.json']);
  expect(JSON.parse(texts['manifest.json'] ?? '')).toMatchObject({ title: 'Books', environment: 'browser' });
});

describe('uploading a skript archive', () => {
  const UPLOAD = 'POST /joint-api/skripts/upload';
  const upload = async () => {
    const field = document.querySelector('input[type="file"]') as HTMLInputElement;
    const archive = new File(['"a zip"'], 'books.zip');
    await act(async () => fireEvent.change(field, { target: { files: [archive] } }));
    await press('Upload');
  };
  const open = (answer: Parameters<typeof showScreen>[1][string]) =>
    showScreen(<UploadModal dropped={null} onClose={() => {}} editorHref={id => `/skripts/${id}`} />, {
      [UPLOAD]: answer,
    });

  it('overwrites a skript only after a confirmation, then lists changed and skipped files with a link to the editor', async () => {
    const same = { added: 0, changed: 0, unchanged: 1, removed: 0 };
    open(({ call }) => {
      if (call.endsWith('overwrite=false'))
        return {
          status: 409,
          body: { error_code: 'title_taken', error_message: 'Taken.', details: { title: 'Books' } },
        };
      return {
        body: {
          overwritten: true,
          skript: { id: 's1', title: 'Books' },
          files: { ...same, changed: 2, removed: 1 },
          inputs: same,
          input_secrets: same,
          skipped: ['.env', 'node_modules/'],
          ignored_fields: ['version'],
        },
      };
    });
    await upload();
    expect(await screen.findByText('You already have Books')).toBeTruthy();
    expect(changes()).toHaveLength(1);
    await press('Overwrite');
    expect(await screen.findByText('Books was overwritten')).toBeTruthy();
    expect(screen.getByText('Files: 2 changed, 1 removed.')).toBeTruthy();
    expect(screen.getByText('Not stored: .env, node_modules/')).toBeTruthy();
    expect(screen.getByText('Unknown fields of manifest.json, ignored: version')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Open the editor' }).getAttribute('href')).toBe('/skripts/s1');
  });

  it('asks for an archive if none is chosen, and shows why the server rejected one', async () => {
    open({ status: 422, body: { error_message: 'The archive has no manifest.json.' } });
    await press('Upload');
    expect(screen.getByText('Choose an archive to upload')).toBeTruthy();
    expect(sent).toEqual([]);
    await upload();
    expect((await screen.findByRole('alert')).textContent).toContain('The archive has no manifest.json.');
  });
});

it('deleting all skripts needs the typed number of skripts, and lists those that were kept', async () => {
  showScreen(<SkriptsMenu />, {
    'GET /joint-api/skripts/list': { body: { total: 12, items: [] } },
    'POST /joint-api/skripts/purge': {
      body: { deleted: { skripts: 11 }, kept: [{ id: 's1', title: 'Books', execution_id: 'e1' }] },
    },
  });
  await waitFor(() => expect(sent).toHaveLength(1));
  await pressMore('all skripts', 'Delete all skripts…');
  expect(await screen.findByText('Delete all 12 skripts?')).toBeTruthy();
  expect(changes()).toEqual([]);
  await press('Delete all skripts');
  // One click is not enough.
  expect(changes()).toEqual([]);
  await fill('Type delete 12 to confirm', 'delete 12');
  await press('Delete all skripts');
  expect(
    await screen.findByText(/11 skripts are deleted\. These are running, so Trawl kept them: Books\./),
  ).toBeTruthy();
  expect(changes().map(({ body }) => body)).toEqual([{ confirm: true }]);
});

describe('the versions of a skript', () => {
  const RESTORE = `POST /joint-api/skripts/s1/versions/${HASH}/restore`;
  const open = (isDirty: boolean, address = '/developer/here?tab=versions') =>
    showScreen(
      <VersionsTab skriptId="s1" isDirty={isDirty} />,
      {
        [VERSIONS]: listOf(VERSION, OLDER),
        'GET /joint-api/skripts/s1/versions/compare': {
          body: { files: [{ name: 'main.js', change: 'changed', diff: '--- a\n+++ b\n@@ -1 +1 @@\n-one\n+two\n' }] },
        },
        [RESTORE]: { body: { skript: {}, files: { added: 0, changed: 1, unchanged: 0, removed: 0 } } },
      },
      address,
    );

  it('are compared with the saved files and with each other, side by side', async () => {
    open(false);
    await press('Compare version 2');
    const row = (await screen.findByRole('region', { name: 'main.js' })).querySelector('tbody tr');
    expect([...(row?.children ?? [])].map(cell => cell.textContent)).toEqual(['1', 'removed: one', '1', 'added: two']);
    expect(sent.map(({ call }) => call).join()).toContain(`from=${HASH}&to=current`);
    await act(async () => fireEvent.click(screen.getByRole('combobox', { name: 'To' })));
    const listed = screen.getByRole('combobox', { name: 'To' }).getAttribute('aria-controls') ?? '';
    const older = within(document.getElementById(listed) as HTMLElement).getByRole('option', {
      name: /^Version 1 of 14 Feb/,
    });
    await act(async () => fireEvent.click(older));
    await waitFor(() => expect(sent.at(-1)?.call).toContain(`from=${HASH}&to=${OLDER.hash}`));
    await press('Swap both sides');
    await waitFor(() => expect(sent.at(-1)?.call).toContain(`from=${OLDER.hash}&to=${HASH}`));
  });

  it('are restored only after a confirmation', async () => {
    open(false);
    await press('Restore version 2');
    expect(await screen.findByText(/Files added since then are removed/)).toBeTruthy();
    expect(changes()).toEqual([]);
    await press('Restore version');
    await waitFor(() => expect(changes().map(({ call }) => call)).toEqual([RESTORE]));
  });

  it('are not restored while the skript has unsaved changes', async () => {
    open(true);
    expect(await screen.findByText(/Save your changes before/)).toBeTruthy();
    await press('Restore version 2');
    expect(screen.queryByText(/Files added since then/)).toBeNull();
  });
});

it('sideBySide puts removed lines of a diff beside added ones, with line numbers', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -7,4 +7,3 @@\n same\n--- gone\n-gone too\n+++ new\n after\n\\ No newline\n';
  expect(sideBySide(`${diff}@@ -30 +29,2 @@\n end\n+last\n`)).toEqual([
    [
      { kind: 'same', from: { number: 7, text: 'same' }, to: { number: 7, text: 'same' } },
      { kind: 'changed', from: { number: 8, text: '-- gone' }, to: { number: 8, text: '++ new' } },
      { kind: 'changed', from: { number: 9, text: 'gone too' }, to: null },
      { kind: 'same', from: { number: 10, text: 'after' }, to: { number: 9, text: 'after' } },
    ],
    [
      { kind: 'same', from: { number: 30, text: 'end' }, to: { number: 29, text: 'end' } },
      { kind: 'changed', from: null, to: { number: 30, text: 'last' } },
    ],
  ]);
  expect(sideBySide('')).toEqual([]);
});

it.each([
  ['Books catalogue', 'books-catalogue.zip'],
  ['../../etc', 'etc.zip'],
  ['Čamci & mreže', 'čamci-mreže.zip'],
  ['//', 'skript.zip'],
])('the downloaded archive of a skript titled %j is named %s', (title, name) => expect(archiveName(title)).toBe(name));
