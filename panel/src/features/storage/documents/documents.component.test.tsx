import { cleanup, screen, waitFor } from '@testing-library/react';
import { timeWords } from '../../../components/values/time-text.js';
import { changes, fill, press, pressItem, sent, showScreen } from '../../../test-screen.js';
import { DocumentsTable } from './documents-table.js';

const ID = '655b3e0f5f1c2a0012000000';
const emma = { _id: { $oid: ID }, title: 'Emma', price: 9 };
const PLACE = '/joint-api/mongo/d/books';

const table = (
  <DocumentsTable
    databaseId="d"
    collection="books"
    collectionsHref="/all"
    executeHref="/"
    exportHref="/"
    onAdd={() => undefined}
  />
);
const show = (address: string, isReadOnly = false) =>
  showScreen(
    table,
    {
      [`GET ${PLACE}/list`]: { body: { total: 1, limit: 25, skip: 0, items: [emma] } },
      [`POST ${PLACE}/aggregate`]: {
        body: {
          items: [
            { _id: '_id', present: 4, filled: 4 },
            { _id: 'price', present: 4, filled: 1 },
          ],
        },
      },
      [`POST ${PLACE}/update-many`]: { body: { matched: 1, modified: 1 } },
      [`POST ${PLACE}/delete-many`]: { body: { deleted: { documents: 7 } } },
      'GET /joint-api/mongo-databases/d': { body: { read_only: isReadOnly } },
    },
    `/developer/books${address}`,
  );

/** The requests that change data. The shares of filled values are counted by a POST that only reads. */
const written = () => changes().filter(({ call }) => !call.endsWith('/aggregate'));

describe('the list of documents', () => {
  it('shows how many values are filled, and takes its filter from the address', async () => {
    show(`?where=${encodeURIComponent('[["title","contains","Em"]]')}`);
    expect(await screen.findByText('25 %')).toBeTruthy();
    const { call = '' } = sent.find(request => request.call.startsWith(`GET ${PLACE}/list`)) ?? {};
    expect(JSON.parse(new URL(call.slice(4), 'http://x').searchParams.get('filter') ?? '')).toEqual({
      title: { $regex: 'Em', $options: 'i' },
    });
  });

  it('shows how long ago a time was, with the exact time and its zone in the tooltip', async () => {
    const at = new Date(Date.now() - 5 * 60_000 - 1000).toISOString();
    const body = { total: 1, limit: 25, skip: 0, items: [{ ...emma, seen: { $date: at }, found: at }] };
    showScreen(table, { [`GET ${PLACE}/list`]: { body } }, '/developer/books');
    const shown = await screen.findAllByText('5 min ago');
    expect(shown).toHaveLength(2);
    for (const words of shown) expect(words.closest('time')?.title).toContain(timeWords(at));
  });

  it('links to all collections if its collection does not exist', async () => {
    const body = { error_code: 'not_found', error_message: 'This database has no collection named books.' };
    showScreen(table, { [`GET ${PLACE}/list`]: { status: 404, body } }, '/developer/books');
    expect((await screen.findByRole('link', { name: 'All collections' })).getAttribute('href')).toContain('/all');
  });

  it('has checkboxes only in databases whose documents the user may delete', async () => {
    show('');
    expect(await screen.findByLabelText(`Select ${ID}`)).toBeTruthy();
    cleanup();
    show('', true);
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Delete' })).toBeNull());
    expect(await screen.findByText('Emma')).toBeTruthy();
    expect(screen.queryByLabelText(`Select ${ID}`)).toBeNull();
  });

  it('saves only the fields of a document that the user changed', async () => {
    show(`?document=${encodeURIComponent(JSON.stringify(emma._id))}`);
    await press('Edit');
    await fill('JSON', JSON.stringify({ _id: { $oid: ID }, title: 'Emma', pages: 474 }));
    await press('Save document');
    await screen.findByText('The document is saved.');
    expect(written()).toMatchObject([
      { body: { filter: { _id: { $oid: ID } }, update: { $set: { pages: 474 }, $unset: { price: '' } } } },
    ]);
  });

  it('deletes all documents that match the filter only after the collection’s name is typed', async () => {
    show(`?where=${encodeURIComponent('[["price","filled",""]]')}`);
    await screen.findByText('Emma');
    await press('Delete');
    await pressItem('Delete all that match the filter…');
    await press('Delete all that match');
    expect(written()).toEqual([]);
    await fill('Type books to confirm', 'books');
    await press('Delete all that match');
    await screen.findByText('7 documents deleted.');
    expect(written()).toMatchObject([{ body: { filter: { price: { $nin: [null, ''] } } } }]);
  });
});
