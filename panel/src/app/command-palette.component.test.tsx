import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useLocation } from 'react-router';
import { fill, listOf, showScreen } from '../test-screen.js';
import CommandPalette from './command-palette.js';

const Address = () => <p>{`address is ${useLocation().pathname}`}</p>;
const selected = () => document.querySelector('[data-action][data-selected]')?.textContent;
const pressKey = (code: string) =>
  act(async () => void fireEvent.keyDown(screen.getByLabelText('Search skripts, screens and runs'), { code }));

it('the command palette selects the first search result, and Enter opens it', async () => {
  Element.prototype.scrollIntoView ??= () => {};
  showScreen(
    <>
      <CommandPalette />
      <Address />
    </>,
    {
      'GET /joint-api/account': { body: { id: 'a', username: 'dev', role: 'developer' } },
      'GET /joint-api/skripts/list': ({ call }) =>
        call.includes('title_contains=pri')
          ? listOf({ id: 's2', title: 'Prices', category: 'shops' }, { id: 's3', title: 'Prints', category: 'shops' })
          : listOf({ id: 's1', title: 'Latest', category: 'shops' }),
    },
  );
  await waitFor(() => expect(selected()).toMatch('Latest'));
  await fill('Search skripts, screens and runs', 'pri');
  expect(screen.queryByText('Latest')).toBeNull();
  await waitFor(() => expect(selected()).toMatch('Prices'));
  await pressKey('ArrowDown');
  expect(selected()).toMatch('Prints');
  await pressKey('ArrowUp');
  await pressKey('Enter');
  expect(await screen.findByText('address is /developer/skripts/s2')).toBeTruthy();
});
