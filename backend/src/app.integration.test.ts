import { type Api, startTestApp, type TestApp } from '../test/test-app.js';

jest.setTimeout(60_000);

let app: TestApp;
let api: Api;

beforeAll(async () => {
  app = await startTestApp();
  api = await app.as('developer');
});
afterAll(() => app?.close());

let count = 0;
const addSkript = (type: string) =>
  api('POST', '/joint-api/skripts/addnew', { title: `Typed ${++count}` }, { 'content-type': type });

describe('a body', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'text/json'])(
    'of type %s is refused by its type, not for the fields that it seems to lack',
    async type => {
      const { status, body } = await addSkript(type);
      expect([status, body.error_code]).toEqual([415, 'unsupported_media_type']);
      expect(body.error_message).toContain('application/json');
      expect(body.error_message).toContain(type);
    },
  );

  it('is taken with a charset', async () => {
    expect((await addSkript('application/json; charset=utf-8')).status).toBe(201);
  });

  it('that is empty may be of any type, where none is needed', async () => {
    const { body } = await addSkript('application/json');
    const bundled = await api('POST', `/joint-api/skripts/${body.id}/bundle`, '', { 'content-type': 'text/plain' });
    expect(bundled.body.error_code).toBe('main_missing');
    const deleted = await api('DELETE', `/joint-api/skripts/${body.id}`, undefined, { 'content-type': 'text/plain' });
    expect(deleted.status).toBe(200);
  });
});
