import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import type { Skript } from '../../../api/entities.js';
import { changes, press, type Sent, sent, showScreen } from '../../../test-screen.js';
import { homeOf, skriptWith } from '../home/test-home.js';

const SKRIPT = skriptWith({ id: 'f1', name: 'main.js', size: 3 } as Skript['files'][number]);
const FILE = { id: 'f1', skript_id: 's1', name: 'main.js', content: 'theirs', hash: 'their-hash' };
const PATH = '/joint-api/skript-files/f1';

/** A text that was typed over the version `old-hash`, in an editor whose file has another version by now. */
beforeEach(() => {
  sessionStorage.setItem(
    'trawl-draft-files-s1',
    JSON.stringify([['f1', { name: 'main.js', content: 'mine', baseHash: 'old-hash' }]]),
  );
});

/** Answers like the API: a change succeeds only over the saved text. `tags` collects the headers `If-Match`. */
function show(saved = FILE, address = '/developer/here'): { tags: (string | undefined)[] } {
  const tags: (string | undefined)[] = [];
  const put = ({ ifMatch, body }: Sent) => {
    tags.push(ifMatch);
    return ifMatch === '"their-hash"'
      ? { body: { ...FILE, ...(body as object), hash: 'my-hash' } }
      : { status: 412, body: { error_code: 'precondition_failed', error_message: 'main.js has changed.' } };
  };
  showScreen(homeOf(SKRIPT), { [`GET ${PATH}`]: { body: saved }, [`PUT ${PATH}`]: put }, address);
  return { tags };
}

it('saving a file that another tab has changed shows both texts, and saves only after a choice', async () => {
  const { tags } = show();
  await press('Save');
  expect(await screen.findByText('main.js was changed elsewhere')).toBeTruthy();
  expect(tags).toEqual(['"old-hash"']);
  await press('Save this text');
  await waitFor(() => expect(tags).toEqual(['"old-hash"', '"their-hash"']));
  expect(changes().at(-1)?.body).toEqual({ content: 'mine' });
  await waitFor(() => expect(screen.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true'));
});

it('a file that another tab has changed takes the saved text if the user discards their changes', async () => {
  const { tags } = show();
  await press('Save');
  await press('Discard my changes');
  expect(screen.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true');
  expect(tags).toEqual(['"old-hash"']);
});

it('saving the same text as another tab is no conflict', async () => {
  show({ ...FILE, content: 'mine' });
  await press('Save');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true'));
  expect(screen.queryByText('main.js was changed elsewhere')).toBeNull();
  expect(sent.filter(({ call }) => call.startsWith('PUT'))).toHaveLength(1);
});

describe('an edited file that another tab deleted', () => {
  const ADD = 'POST /joint-api/skript-files/addnew';
  const showDeleted = (add: object = { body: { ...FILE, id: 'f2' } }) =>
    showScreen(homeOf(skriptWith()), {
      [`PUT ${PATH}`]: {
        status: 404,
        body: { error_code: 'not_found', error_message: 'There is no file with the id f1.' },
      },
      [ADD]: add as { body: object },
    });
  const isSaved = () => screen.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled') === 'true';

  it('can be saved as a new file of the same name', async () => {
    showDeleted();
    await press('Save');
    expect(await screen.findByText('main.js was deleted elsewhere')).toBeTruthy();
    expect(screen.queryByText(/with the id/)).toBeNull();
    await press('Save as a new file');
    await waitFor(() => expect(isSaved()).toBe(true));
    expect(changes().at(-1)?.body).toEqual({ skript_id: 's1', name: 'main.js', content: 'mine' });
    expect(screen.queryByText('main.js was deleted elsewhere')).toBeNull();
  });

  it('keeps its unsaved text if another file has taken the name', async () => {
    showDeleted({ status: 409, body: { error_code: 'name_taken', error_message: 'The skript already has main.js.' } });
    await press('Save');
    await press('Save as a new file');
    expect(await screen.findByText('The skript already has main.js.')).toBeTruthy();
    expect(isSaved()).toBe(false);
  });

  it('can be discarded without another request', async () => {
    showDeleted();
    await press('Save');
    await press('Discard my changes');
    expect(isSaved()).toBe(true);
    expect(changes()).toHaveLength(1);
  });
});

it.each([
  ['the button Run', () => press('Run')],
  ['Ctrl S', async () => act(async () => void fireEvent.keyDown(document.body, { key: 's', ctrlKey: true }))],
])('the texts of a file that was changed elsewhere are shown after %s in another tab, too', async (_how, save) => {
  show(FILE, '/developer/here?tab=runs');
  await save();
  expect(await screen.findByText('main.js was changed elsewhere')).toBeTruthy();
});
