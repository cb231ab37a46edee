import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { createTar } from 'nanotar';
import { useState } from 'react';
import type { Skript } from '../../../api/entities.js';
import { changes, press, showScreen } from '../../../test-screen.js';
import { NEW_SKRIPT } from '../components/skript-fields.js';
import type { Drafts } from '../files/use-drafts.js';
import { AddFilesModal } from './add-files-modal.js';
import { DropZone } from './drop-zone.js';
import { pack } from './pack.js';
import { type Dropped, readFiles, withoutTopFolder } from './read-dropped.js';

beforeAll(() => {
  // jsdom has no `Blob.arrayBuffer`.
  Blob.prototype.arrayBuffer = function () {
    const reader = new FileReader();
    return new Promise(resolve => {
      reader.onload = () => resolve(reader.result as ArrayBuffer);
      reader.readAsArrayBuffer(this);
    });
  };
});
afterAll(() => {
  Reflect.deleteProperty(Blob.prototype, 'arrayBuffer');
});

const bytesOf = (names: string[]) => Object.fromEntries(names.map(name => [name, strToU8(`text of ${name}`)]));
const zip = (name: string, ...names: string[]) => new File([new Uint8Array(zipSync(bytesOf(names)))], name);
const namesOf = ({ files }: Dropped) => files.map(({ name }) => name);

describe('files dropped into the panel', () => {
  it.each([
    ['zip', zip('books.zip', 'books/main.js', 'books/lib/a.js', 'books/.env', 'books/node_modules/x/x.js')],
    [
      'tar',
      new File(
        [
          new Uint8Array(
            createTar(
              ['books/main.js', 'books/lib/a.js', 'books/.env', 'books/node_modules/x/x.js'].map(name => ({
                name,
                data: `text of ${name}`,
              })),
            ),
          ),
        ],
        'books.tar',
      ),
    ],
  ])(
    'from a %s archive are read without their top folder and without files that Trawl never stores',
    async (_, archive) => {
      const dropped = await readFiles([archive]);
      expect([dropped.title, namesOf(dropped)]).toEqual(['books', ['main.js', 'lib/a.js']]);
      expect(new TextDecoder().decode(dropped.files[1]?.bytes)).toBe('text of books/lib/a.js');
      expect(dropped.skipped).toEqual(['books/.env', 'books/node_modules/']);
    },
  );

  it('keep their top folder if that is not the folder of a skript', () => {
    const files = ['lib/a.js', 'lib/b.js'].map(name => ({ name, bytes: strToU8(name) }));
    expect(withoutTopFolder(files)).toEqual(files);
  });

  it('are refused if an archive is broken or too large, or if no file may be stored', async () => {
    await expect(readFiles([new File(['no zip'], 'books.zip')])).rejects.toThrow('books.zip cannot be read');
    await expect(readFiles([new File(['A=1'], '.env')])).rejects.toThrow('There are no files that Trawl stores.');
    await expect(readFiles([new File([new Uint8Array(17 * 1024 * 1024)], 'a.zip')])).rejects.toThrow('16 MiB');
  });

  it('become a skript with the name of their folder if they have no manifest.json', async () => {
    const archive = await pack({
      title: 'Sea stories',
      files: [{ name: 'main.js', bytes: strToU8('1') }],
      skipped: [],
    });
    const unzipped = unzipSync(new Uint8Array(await archive.arrayBuffer()));
    expect(archive.name).toBe('Sea stories.zip');
    expect(JSON.parse(new TextDecoder().decode(unzipped['manifest.json']))).toEqual({ title: 'Sea stories' });
  });
});

describe('files dropped on an open skript', () => {
  const SKRIPT = { ...NEW_SKRIPT, id: 's1', title: 'Books', files: [{ id: 'f1', name: 'main.js', size: 1 }] } as Skript;
  const forget = jest.fn();
  const drafts = { drafted: new Map([['f1', {}]]), forget } as unknown as Drafts;

  function Open() {
    const [dropped, setDropped] = useState<Dropped | null>(null);
    return (
      <>
        <DropZone hint="Drop here" onDropped={setDropped}>
          <p>The editor</p>
        </DropZone>
        {dropped && (
          <AddFilesModal skript={SKRIPT} dropped={dropped} drafts={drafts} onClose={() => setDropped(null)} />
        )}
      </>
    );
  }
  const drop = async (...files: File[]) => {
    const dataTransfer = { types: ['Files'], items: [], files };
    fireEvent.dragEnter(screen.getByText('The editor'), { dataTransfer });
    expect(screen.getByText('Drop here')).toBeTruthy();
    await act(async () => fireEvent.drop(screen.getByText('The editor'), { dataTransfer }));
  };

  it('replace a file only after a confirmation, and only if its text has not changed since', async () => {
    showScreen(<Open />, {
      'GET /joint-api/skript-files/f1': { body: { id: 'f1', name: 'main.js', content: 'old', hash: 'h1' } },
      'PUT /joint-api/skript-files/f1': { body: { id: 'f1', name: 'main.js', content: 'new', hash: 'h2' } },
      'POST /joint-api/skript-files/addnew': { status: 201, body: { id: 'f2' } },
    });
    const picture = new File([new Uint8Array([0x89, 0])], 'a.png');
    await drop(new File(['new'], 'main.js'), picture, new File(['{}'], 'input.json'));
    expect(await screen.findByText('replaces the file and your unsaved changes')).toBeTruthy();
    expect(screen.getByText(/Not added: input\.json\./)).toBeTruthy();
    expect(changes()).toEqual([]);
    await press('Add one file, replace one file');
    await waitFor(() => expect(screen.queryByText('Add files to Books?')).toBeNull());
    expect(changes()).toEqual([
      { call: 'PUT /joint-api/skript-files/f1', body: { content: 'new' }, ifMatch: '"h1"' },
      {
        call: 'POST /joint-api/skript-files/addnew',
        body: { skript_id: 's1', name: 'a.png', content: 'data:application/octet-stream;base64,iQA=' },
      },
    ]);
    expect(forget.mock.calls).toEqual([['f1']]);
  });

  it('name the file that could not be saved, and continue with it on request', async () => {
    let isFull = true;
    showScreen(<Open />, {
      'POST /joint-api/skript-files/addnew': ({ body }) =>
        isFull && (body as { name: string }).name === 'b.js'
          ? { status: 409, body: { error_code: 'quota_exceeded', error_message: 'No space is left.' } }
          : { status: 201, body: { id: 'f' } },
    });
    await drop(new File(['1'], 'a.js'), new File(['2'], 'b.js'));
    await press('Add 2 files');
    expect((await screen.findByRole('alert')).textContent).toContain('1 of 2 files were savedb.js: No space is left.');
    isFull = false;
    await press('Continue');
    await waitFor(() => expect(screen.queryByText('Add files to Books?')).toBeNull());
    expect(changes().map(({ body }) => (body as { name: string }).name)).toEqual(['a.js', 'b.js', 'b.js']);
  });
});
