import { type Api, startTestApp, type TestApp } from '../../test/test-app.js';
import { contactForm } from '../../test/test-forms.js';

jest.setTimeout(60_000);

let app: TestApp;
let admin: Api;

beforeAll(async () => {
  app = await startTestApp();
  admin = await app.as('admin');
  for (const subject of ['b, the first', 'c, the second', 'a, the third']) {
    expect((await app.anonymous('POST', '/www/contact', contactForm({ subject }))).status).toBe(200);
  }
});
afterAll(() => app?.close());

const list = (query: string) => admin('GET', `/joint-api/contact-messages/list?${query}`);

it.each([
  ['', 'acb'],
  ['sort=created_at', 'bca'],
  ['sort=-created_at', 'acb'],
])('with "%s" contact messages come in the order %s', async (query, order) => {
  const { body } = await list(query);
  expect(body.items.map(({ subject }: any) => subject[0]).join('')).toBe(order);
});

// There is an index for the time; for anything else every message would be read.
it.each(['name', 'email', 'country', 'subject', 'msg'])('contact messages are not sorted by %s', async field => {
  const { status, body } = await list(`sort=${field}`);
  expect([status, body.error_code, body.details[0].field]).toEqual([400, 'validation_failed', 'sort']);
});

it('a contact message is deleted for good, and no other with it', async () => {
  const [message, ...others] = (await list('')).body.items;
  const path = `/joint-api/contact-messages/${message.id}`;
  expect((await admin('GET', path)).body).toEqual(message);
  expect((await (await app.as('developer'))('DELETE', path)).status).toBe(403);
  expect((await admin('DELETE', path)).body).toEqual({ deleted: { contact_messages: 1 } });
  expect((await admin('GET', path)).status).toBe(404);
  expect((await admin('DELETE', path)).status).toBe(404);
  expect((await list('')).body.items).toEqual(others);
});
