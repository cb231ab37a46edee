import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useLocation } from 'react-router';
import { sent, showScreen } from '../../../test-screen.js';
import { NEW_SKRIPT } from './skript-fields.js';
import { SkriptsTable } from './skripts-table.js';

const LIST = 'GET /joint-api/skripts/list';
const PICTURE = 'data:image/png;base64,AAAA';
const SVG = 'data:image/svg+xml;base64,AAAA';
const skript = (title: string, thumbnail: string) => ({ ...NEW_SKRIPT, id: title, title, thumbnail, files: [] });

const show = (address = '/developer/skripts') =>
  showScreen(
    <>
      <SkriptsTable executeHref={() => ''} runsHref={() => ''} onNew={() => {}} />
      <Address />
    </>,
    {
      [LIST]: ({ call }) => ({
        body: call.includes('select=category')
          ? { total: 3, items: [{ category: 'shops' }, { category: 'books' }, { category: 'shops' }] }
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
  expect(names.slice(0, 2)).toEqual(['books', 'shops']);
  await act(async () => fireEvent.click(screen.getByRole('option', { name: 'shops' })));
  expect(screen.getByText('address is ?category=shops')).toBeTruthy();
  await waitFor(() =>
    expect(sent.some(({ call }) => /[?&]category=shops/.test(call) && /skip=0/.test(call))).toBe(true),
  );
});
