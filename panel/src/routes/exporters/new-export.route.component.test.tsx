import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { endSession } from '../../session/session-end.js';
import { fill, press, showScreen } from '../../test-screen.js';
import NewExportRoute from './new-export.route.js';

const ADDRESS = '/developer/exporters/new?source=query&sql=SELECT+1';

const chooseDestination = async (name: string) => {
  const select = await screen.findByRole('combobox', { name: 'Where to' });
  await act(async () => fireEvent.click(select));
  await act(async () => fireEvent.click(screen.getByRole('option', { name })));
};

it('an invalid destination of an export is reported once, at its field and by its label', async () => {
  const details = [{ field: 'destination.url', message: 'must begin with https://' }];
  showScreen(
    <NewExportRoute />,
    {
      'POST /joint-api/exports/addnew': {
        status: 400,
        body: { error_message: 'destination.url must begin with https://.', details },
      },
    },
    ADDRESS,
  );
  await chooseDestination('Post a link to a URL');
  await fill('URL', 'http://example.com');
  await press('Start export');
  expect(await screen.findByText('The export was not started')).toBeTruthy();
  expect(screen.getAllByText(/must begin with https/).map(({ textContent }) => textContent)).toEqual([
    'URL must begin with https://.',
  ]);
});

it('a new export’s SQL statement, but not its secrets, returns after the session has ended', async () => {
  showScreen(<NewExportRoute />, {}, ADDRESS);
  await fill('SQL statement', 'SELECT 2');
  await chooseDestination('Post a link to a URL');
  await fill('Secret, if Trawl should sign the call', 'whsec_hunter2');
  await act(async () => endSession());
  expect(JSON.stringify(sessionStorage)).not.toContain('hunter2');
  cleanup();
  showScreen(<NewExportRoute />, {}, ADDRESS);
  expect((await screen.findByLabelText('SQL statement')).textContent).toContain('SELECT 2');
  expect(screen.getByText(/Your entries in this form from before you signed in are back/)).toBeTruthy();
});
