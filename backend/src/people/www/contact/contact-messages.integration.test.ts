import { appForFile } from '../../../../test/test-app.js';
import { contactForm, newAddress } from '../../../../test/test-forms.js';

const { app, admin } = appForFile();

beforeAll(async () => {
  for (const subject of ['b, the first', 'c, the second', 'a, the third']) {
    expect((await app.anonymous('POST', '/www/contact', contactForm({ subject }))).status).toBe(200);
  }
});

const list = (query: string) => admin('GET', `/joint-api/contact-messages/list?${query}`);

it.each([
  ['', 'acb'],
  ['sort=created_at', 'bca'],
  ['sort=-created_at', 'acb'],
])('with "%s" contact messages are listed in the order %s', async (query, order) => {
  const { body } = await list(query);
  expect(body.items.map(({ subject }: any) => subject[0]).join('')).toBe(order);
});

// These fields have no index, so sorting by them would read every message. Only the time has one.
it.each(['name', 'email', 'country', 'subject', 'msg'])('contact messages cannot be sorted by %s', async field => {
  const { status, body } = await list(`sort=${field}`);
  expect([status, body.error_code, body.details[0].field]).toEqual([400, 'validation_failed', 'sort']);
});

it('deleting a contact message leaves all other messages', async () => {
  const [message, ...others] = (await list('')).body.items;
  const path = `/joint-api/contact-messages/${message.id}`;
  expect((await admin('GET', path)).body).toEqual(message);
  expect((await (await app.as('developer'))('DELETE', path)).status).toBe(403);
  expect((await admin('DELETE', path)).body).toEqual({ deleted: { contact_messages: 1 } });
  expect((await admin('GET', path)).status).toBe(404);
  expect((await admin('DELETE', path)).status).toBe(404);
  expect((await list('')).body.items).toEqual(others);
});

describe('a demo account', () => {
  it('can be created from a contact message once, and its password is shown only then', async () => {
    const email = newAddress();
    await app.anonymous('POST', '/www/contact', contactForm({ email, subject: 'Demo Request' }));
    const [{ id }] = (await list('limit=1')).body.items;
    const path = `/joint-api/contact-messages/${id}/demo-account`;
    const { status, body } = await admin('POST', path, { days: 3 });
    expect([status, body.username]).toEqual([201, email]);
    expect(Math.round((Date.parse(body.expires_at) - Date.now()) / 86_400_000)).toBe(3);
    const login = await app.anonymous('POST', '/panel/login', { username: email, password: body.password });
    const account = await app.bearer(login.body.jwtToken)('GET', '/joint-api/account');
    expect(account.body).toMatchObject({ role: 'developer', expires_at: body.expires_at });
    expect((await admin('POST', path, {})).body.error_code).toBe('name_taken');
  });
});
