import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { useLocation } from 'react-router';
import { changes, fill, listOf, press, pressMore, type Served, sent, showScreen } from '../../../test-screen.js';
import { NEW_SKRIPT } from './skript-fields.js';
import { SkriptsTable } from './skripts-table.js';

const LIST = 'GET /joint-api/skripts/list';
const PICTURE = 'data:image/png;base64,AAAA';
const SVG = 'data:image/svg+xml;base64,AAAA';
const skript = (title: string, thumbnail: string) => ({
  ...NEW_SKRIPT,
  id: title,
  title,
  thumbnail,
  files: [],
  tags: [],
  favourite: false,
  next_fire_at: null,
});

const show = (address = '/developer/skripts', served: Record<string, Served> = {}) =>
  showScreen(
    <>
      <SkriptsTable executeHref={() => ''} runHref={id => id} runsHref={() => ''} onNew={() => {}} />
      <Address />
    </>,
    {
      [LIST]: ({ call }) => ({
        body: call.includes('select=category%2Ctags')
          ? {
              total: 3,
              items: [{ category: 'shops', tags: [] }, { category: 'books', tags: ['daily'] }, { category: 'shops' }],
            }
          : {
              total: 3,
              items: [
                skript('With a picture', PICTURE),
                skript('Without', ''),
                skript('Hos\u202etile', 'data:text/html;base64,AAAA'),
                skript('Drawn', SVG),
              ],
            },
      }),
      ...served,
    },
    address,
  );

function Address() {
  return <p>{`address is ${useLocation().search}`}</p>;
}

it('the list of skripts shows each thumbnail, and a letter for a skript without a usable image', async () => {
  show();
  await screen.findByText('Hostile');
  const cells = ['With a picture', 'Without', 'Hostile', 'Drawn'].map(title => screen.getByText(title).closest('td'));
  expect(cells.map(cell => cell?.querySelector('img')?.getAttribute('src') ?? null)).toEqual([
    PICTURE,
    null,
    null,
    SVG,
  ]);
  expect(cells.map(cell => cell?.querySelector('svg text')?.textContent ?? null)).toEqual([null, 'W', 'H', null]);
  const picture = cells[0]?.querySelector('img') as HTMLElement;
  await act(async () => fireEvent.error(picture));
  expect(cells[0]?.querySelector('svg text')?.textContent).toBe('W');
});

it('the list of skripts filters by a category, which becomes part of the address', async () => {
  show('/developer/skripts?page=2');
  const field = await screen.findByRole('combobox', { name: 'Category' });
  await act(async () => fireEvent.click(field));
  const names = (await screen.findAllByRole('option')).map(option => option.textContent);
  expect(names.filter(name => name === 'books' || name === 'shops')).toEqual(['books', 'shops']);
  await act(async () => fireEvent.click(screen.getByRole('option', { name: 'shops' })));
  expect(screen.getByText('address is ?category=shops')).toBeTruthy();
  await waitFor(() =>
    expect(sent.some(({ call }) => /[?&]category=shops/.test(call) && /skip=0/.test(call))).toBe(true),
  );
});

it('the list of skripts filters by the last result, and ignores one that it does not know', async () => {
  show('/developer/skripts?result=error');
  await screen.findByText('Without');
  expect(sent.some(({ call }) => call.includes('last_result=error'))).toBe(true);
  cleanup();
  sent.length = 0;
  show('/developer/skripts?result=lost');
  await screen.findByText('Without');
  expect(sent.some(({ call }) => call.includes('last_result'))).toBe(false);
});

const FIRST = { ...skript('First', ''), tags: ['daily', 'shop'], next_fire_at: '2030-01-02T03:04:05.000Z' };
const LIST_OF_TWO = listOf(FIRST, { ...skript('Second', ''), tags: ['shop'] });

it('the list of skripts shows the last result, the next run and the tags, with favourites first', async () => {
  show('/developer/skripts', {
    [LIST]: LIST_OF_TWO,
    'GET /joint-api/skript-execution/latest-by-skript': listOf({
      id: 'r1',
      skript_id: 'First',
      action: 'error',
      created_at: new Date(Date.now() - 3 * 60_000).toISOString(),
      started_at: null,
      ended_at: null,
    }),
  });
  const result = await screen.findByRole('link', { name: /^failed/ });
  expect([result.getAttribute('href'), result.textContent]).toEqual([
    '/developer/skripts/r1',
    expect.stringContaining('3 min ago'),
  ]);
  expect(screen.getByText('2 Jan 2030')).toBeTruthy();
  expect(sent.map(({ call }) => call)).toContainEqual(expect.stringMatching(/sort=-favourite%2C-updated_at/));
  await press('daily');
  expect(screen.getByText('address is ?tag=daily')).toBeTruthy();
  await waitFor(() => expect(sent.some(({ call }) => call.includes('tag=daily'))).toBe(true));
});

it('the list of skripts shows that the rows of the newest run are broken or unusual, not that it has completed', async () => {
  const ended = { action: 'end', created_at: new Date().toISOString(), started_at: null, ended_at: null };
  show('/developer/skripts', {
    [LIST]: LIST_OF_TWO,
    'GET /joint-api/skript-execution/latest-by-skript': listOf(
      { ...ended, id: 'r1', skript_id: 'First', verdict_level: 'broken' },
      { ...ended, id: 'r2', skript_id: 'Second', verdict_level: 'unusual' },
    ),
  });
  expect((await screen.findByText('rows broken')).className).toContain('tone-error');
  expect(screen.getByText('rows unusual').className).toContain('tone-warn');
  expect(screen.queryByText('completed')).toBeNull();
});

it('the list of skripts says “no runs yet” only once it knows', async () => {
  show('/developer/skripts', { [LIST]: LIST_OF_TWO });
  expect(await screen.findAllByText('not loaded')).toHaveLength(2);
  cleanup();
  let answer = () => {};
  const answered = new Promise<void>(resolve => {
    answer = resolve;
  });
  show('/developer/skripts', {
    [LIST]: LIST_OF_TWO,
    'GET /joint-api/skript-execution/latest-by-skript': () => answered.then(() => listOf()),
  });
  await screen.findByText('First');
  expect(screen.queryByText('no runs yet')).toBeNull();
  await act(async () => answer());
  expect(await screen.findAllByText('no runs yet')).toHaveLength(2);
});

it('a row with more tags than a line has room for names the number of the others', async () => {
  const tags = ['a', 'b', 'c', 'd', 'e'];
  show('/developer/skripts', { [LIST]: listOf({ ...skript('Many', ''), tags }) });
  expect((await screen.findByText('+2')).title).toBe('d, e');
  expect(screen.getAllByTitle(/^Show all with the tag/).map(button => button.textContent)).toEqual(tags);
});

async function selectAll(): Promise<void> {
  await screen.findByLabelText('Select First');
  await act(async () => fireEvent.click(screen.getByLabelText('Select all rows of this page')));
}

/** Types a tag into the open dialog, and Enter. */
async function typeTag(tag: string): Promise<void> {
  const field = await waitFor(() => {
    const found = document.querySelector('input.mantine-TagsInput-inputField');
    if (!found) throw new Error('The dialog has no field for tags.');
    return found;
  });
  await act(async () => void fireEvent.change(field, { target: { value: tag } }));
  await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }));
}

it('a star makes a skript a favourite', async () => {
  const call = 'PUT /joint-api/skripts/First';
  show('/developer/skripts', { [LIST]: LIST_OF_TWO, [call]: { body: FIRST } });
  await press('Favourite: First');
  expect(changes()).toMatchObject([{ call, body: { favourite: true } }]);
});

it('the tags of several skripts change together, and each keeps its other tags', async () => {
  show('/developer/skripts', {
    [LIST]: LIST_OF_TWO,
    'PUT /joint-api/skripts/First': { body: FIRST },
    'PUT /joint-api/skripts/Second': { status: 400, body: { error_message: 'tags must contain no more than 10.' } },
  });
  await selectAll();
  await press('Tags…');
  await typeTag('weekly');
  await press('Save tags');
  expect(await screen.findByText('1 skript of 2 could not be tagged')).toBeTruthy();
  expect(screen.getByText('tags must contain no more than 10.')).toBeTruthy();
  expect(changes().map(({ body }) => body)).toEqual([
    { tags: ['daily', 'shop', 'weekly'] },
    { tags: ['shop', 'weekly'] },
  ]);
});

it('several skripts are deleted after a typed confirmation; the list names those that are kept', async () => {
  show('/developer/skripts', {
    [LIST]: LIST_OF_TWO,
    'DELETE /joint-api/skripts/First': { body: { deleted: { skripts: 1 } } },
    'DELETE /joint-api/skripts/Second': { status: 409, body: { error_message: 'The skript is running.' } },
  });
  await selectAll();
  await press('Delete…');
  await fill('Type delete 2 to confirm', 'delete 2');
  await press('Delete');
  expect(await screen.findByText('The skript is running.')).toBeTruthy();
  expect(screen.getByText('1 skript deleted.')).toBeTruthy();
});

it('the focus stays in the list when the selection is cleared', async () => {
  show('/developer/skripts', { [LIST]: LIST_OF_TWO });
  await selectAll();
  (await screen.findByRole('button', { name: 'Clear the selection' })).focus();
  await press('Clear the selection');
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Select all rows of this page');
});

it('a filter can be saved under a name, applied and deleted', async () => {
  const call = 'PUT /joint-api/account/preferences';
  let saved = [{ list: 'runs', name: 'Failed', query: 'action=error' }];
  show('/developer/skripts?tag=daily&page=2&week=2026-11-23', {
    [LIST]: LIST_OF_TWO,
    'GET /joint-api/account': () => ({ body: { preferences: { rows: 'compact', saved_filters: saved } } }),
    [call]: ({ body }) => {
      saved = (body as { saved_filters: typeof saved }).saved_filters;
      return { body: { rows: 'compact', saved_filters: saved } };
    },
  });
  await press('Saved filters');
  expect(screen.queryByRole('menuitem', { name: 'Failed' })).toBeNull();
  await act(async () => fireEvent.click(await screen.findByRole('menuitem', { name: 'Save this filter…' })));
  await fill('Name', 'Every day');
  await press('Save filter');
  const mine = { list: 'skripts', name: 'Every day', query: 'tag=daily' };
  await waitFor(() => expect(changes()).toMatchObject([{ body: { saved_filters: [saved[0], mine] } }]));
  await press('Every day');
  await act(async () => fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete “Every day”' })));
  await waitFor(() =>
    expect(changes()[1]?.body).toEqual({ saved_filters: [{ list: 'runs', name: 'Failed', query: 'action=error' }] }),
  );
});

it('the menu of a skript sets its tags', async () => {
  const call = 'PUT /joint-api/skripts/First';
  show('/developer/skripts', { [LIST]: LIST_OF_TWO, [call]: { body: FIRST } });
  await pressMore('First', 'Tags…');
  await typeTag('new');
  await press('Save tags');
  await waitFor(() => expect(changes()).toMatchObject([{ call, body: { tags: ['daily', 'shop', 'new'] } }]));
});

it('the list of skripts can be sorted by the last run', async () => {
  show();
  await press('Last result');
  expect(sent.map(({ call }) => call)).toContainEqual(expect.stringMatching(/sort=-favourite%2C-?last_run_at/));
});
