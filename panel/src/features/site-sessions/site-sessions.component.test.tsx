import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import SiteSessionsRoute from '../../routes/skripts/site-sessions.route.js';
import { changes, fill, listOf, press, pressMore, type Served, sent, showScreen } from '../../test-screen.js';

const LIST = 'GET /joint-api/sessions/list';
const IMPORT = 'POST /joint-api/sessions/import';
const SHOP = {
  id: 's1',
  name: 'shop',
  origins: ['https://shop.example', 'https://a.example', 'https://b.example', 'https://c.example'],
  cookies: 3,
  bytes: 900,
  user_agent: null,
  saved_at: '2026-01-01T00:00:00.000Z',
  expires_at: null,
  last_used_at: null,
  runs: [{ execution_id: 'e1', skript_name: '<b>Members</b>', logs_in: true }],
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

const show = (served: Record<string, Served>, search = '') =>
  showScreen(<SiteSessionsRoute />, served, `/developer/skripts/sessions${search}`);

async function chooseFile(content: string): Promise<void> {
  const field = document.querySelector('input[type="file"]') as HTMLInputElement;
  // The files of jsdom have no method `text`.
  const file = Object.assign(new File([content], 'cookies.txt'), { text: async () => content });
  await act(async () => fireEvent.change(field, { target: { files: [file] } }));
}

it('the list shows where a session is valid, until when, and which run logs in', async () => {
  const past = { ...SHOP, id: 's2', name: 'past', expires_at: '2026-01-02T00:00:00.000Z', runs: [] };
  const fresh = { ...SHOP, id: 's3', name: 'fresh', saved_at: null, origins: [], cookies: 0, runs: [] };
  show({ [LIST]: listOf(SHOP, past, fresh) });
  const sites = 'https://shop.example, https://a.example, https://b.example and 1 more, 3 cookies';
  expect(await screen.findAllByText(sites)).toHaveLength(2);
  const [first, second, third] = screen.getAllByRole('row').slice(1);
  expect(first?.textContent).toContain('when the site ends it');
  expect(first?.textContent).toContain('logs in now');
  const link = screen.getByRole('link', { name: '<b>Members</b>' });
  expect(link.getAttribute('href')).toBe('/developer/skript-executions/e1');
  expect(second?.textContent).toContain('expired');
  expect(third?.textContent).toContain('no login yet');
  expect(screen.getByRole('button', { name: 'Export fresh' }).hasAttribute('disabled')).toBe(true);
});

it('an empty list says what to write in a skript, and a search without a match offers to clear it', async () => {
  show({ [LIST]: listOf() });
  expect(await screen.findByText('No sessions yet')).toBeTruthy();
  expect(screen.getByLabelText('main.js').textContent).toContain("session('shop')");
  show({ [LIST]: listOf() }, '?search=x');
  expect(await screen.findByText('No matching sessions')).toBeTruthy();
  expect(sent.map(({ call }) => call)).toEqual([`${LIST}?limit=25&skip=0&sort=name&name_contains=x`]);
});

it('an export warns first that the file contains the login', async () => {
  URL.createObjectURL = () => 'blob:x';
  URL.revokeObjectURL = () => {};
  show({ [LIST]: listOf(SHOP), 'GET /joint-api/sessions/s1/export': { body: { cookies: [] } } });
  await press('Export shop');
  expect(await screen.findByText(/The file contains the login itself/)).toBeTruthy();
  expect(sent.some(({ call }) => call.endsWith('/export'))).toBe(false);
  await press('Export login');
  await waitFor(() => expect(sent.some(({ call }) => call.endsWith('/s1/export'))).toBe(true));
});

it('a session is deleted after a question', async () => {
  show({ [LIST]: listOf(SHOP), 'DELETE /joint-api/sessions/s1': { body: { deleted: { sessions: 1 } } } });
  await pressMore('shop', 'Delete…');
  await press('Delete session');
  expect(await screen.findByText('The session shop is deleted.')).toBeTruthy();
  expect(changes()).toMatchObject([{ call: 'DELETE /joint-api/sessions/s1' }]);
});

describe('importing a login', () => {
  it('sends the file with the origins of the sites, and the user agent only on request', async () => {
    show({ [LIST]: listOf(SHOP), [IMPORT]: { status: 201, body: SHOP } });
    await press('Import a login');
    await press('Import login');
    expect(await screen.findByText('Choose the file with the cookies')).toBeTruthy();
    await fill('Name', ' shop ');
    await fill('Sites', 'shop.example/orders\nHTTP://Other.example:8080, ');
    await chooseFile('a\tb');
    await press('Import login');
    expect(await screen.findByText(/The session shop has the imported login/)).toBeTruthy();
    const body = { name: 'shop', origins: ['https://shop.example', 'http://other.example:8080'], content: 'a\tb' };
    expect(changes()).toEqual([expect.objectContaining({ call: IMPORT, body })]);

    await press('Import a login');
    await fill('Name', 'shop');
    await fill('Sites', 'shop.example');
    await chooseFile('[]');
    await act(async () => fireEvent.click(screen.getByLabelText('The login is of this browser')));
    await press('Import login');
    await waitFor(() => expect(changes()[1]?.body).toMatchObject({ user_agent: navigator.userAgent }));
  });

  it('shows what the API refuses at the field, and sends no file that is too large', async () => {
    const message = 'content has no cookie of https://shop.example that has not expired; it has no cookie.';
    const refusal = {
      error_code: 'validation_failed',
      error_message: message,
      details: [{ field: 'content', message }],
    };
    show({ [LIST]: listOf(SHOP), [IMPORT]: { status: 400, body: refusal } });
    await press('Import a login');
    await fill('Name', 'shop');
    await fill('Sites', 'shop.example');
    await chooseFile('x'.repeat(1_000_001));
    await press('Import login');
    expect(
      await screen.findByText(/^The file has .* the limit is .* Export the cookies of this site only/),
    ).toBeTruthy();
    expect(changes()).toEqual([]);
    await chooseFile('x');
    await press('Import login');
    expect(await screen.findByText(/^File has no cookie of https:\/\/shop.example/)).toBeTruthy();
  });
});
