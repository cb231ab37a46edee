import { act, fireEvent, screen, within } from '@testing-library/react';
import { changes, fill, listOf, press, pressMore, showScreen } from '../../test-screen.js';
import SkriptsRoute from './skripts.route.js';

jest.mock('virtual:skript-templates', () => ({ __esModule: true, default: {} }), { virtual: true });

const drop = async (file: File) => {
  const dataTransfer = { types: ['Files'], items: [], files: [file] };
  const page = await screen.findByText('Write your first skript');
  await act(async () => fireEvent.drop(page, { dataTransfer }));
};

it('dropping a CSV file on the skripts page offers to import it as data', async () => {
  showScreen(<SkriptsRoute />, {
    'GET /joint-api/skripts/list': listOf(),
    'GET /joint-api/skripts/categories': { body: { items: [] } },
  });
  await drop(new File(['title,price'], 'prices.csv'));
  const dialog = await screen.findByRole('dialog', { name: 'Import a file' });
  expect(within(dialog).getByText('prices.csv')).toBeTruthy();
  expect(screen.queryByText('Upload a skript')).toBeNull();
  expect(changes()).toEqual([]);
});

it('a skript is deleted only after its title is typed, because its inputs and schedules are deleted too', async () => {
  const skript = {
    id: 's1',
    title: 'Book  prices',
    category: 'general',
    files: [],
    bundle_hash: null,
    tags: [],
  };
  showScreen(<SkriptsRoute />, {
    'GET /joint-api/skripts/list': listOf(skript),
    'GET /joint-api/skripts/categories': { body: { items: ['general'] } },
    'DELETE /joint-api/skripts/s1': { body: { deleted: { skripts: 1 } } },
  });
  await screen.findByText('Book prices');
  await pressMore('Book prices', 'Delete…');
  await press('Delete skript');
  expect(changes()).toEqual([]);
  await fill('Type Book prices to confirm', 'Book prices');
  await press('Delete skript');
  expect(changes()).toMatchObject([{ call: 'DELETE /joint-api/skripts/s1' }]);
});

it('the head of the skripts page counts what fails, is broken and runs, and leads to each that is not 0', async () => {
  showScreen(<SkriptsRoute />, {
    'GET /joint-api/dashboard': {
      body: {
        skripts: { total: 1_204 },
        issues: { total: 3 },
        broken_rows: { total: 0 },
        runs: { under_way: 2, waiting: 1 },
      },
    },
  });
  const facts = (await screen.findByText('1,204')).closest('dl') as HTMLElement;
  expect(facts.textContent).toBe('Skripts1,204Open issues3Broken rows0Running3');
  expect(
    within(facts)
      .getAllByRole('link')
      .map(link => [link.textContent, link.getAttribute('href')]),
  ).toEqual([
    ['3', '/developer/skript-executions/issues'],
    ['3', '/developer/skript-executions?action=start'],
  ]);
});
