import { gzipSync } from 'node:zlib';
import { appForFile } from '../test/test-app.js';

const { app, developer: api } = appForFile();

let count = 0;
const addSkript = (type: string) =>
  api('POST', '/joint-api/skripts/addnew', { title: `Typed ${++count}` }, { 'content-type': type });

describe('a request body', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'text/json'])(
    'of type %s is refused because of its type, not for missing fields',
    async type => {
      const { status, body } = await addSkript(type);
      expect([status, body.error_code]).toEqual([415, 'unsupported_media_type']);
      expect(body.error_message).toContain('application/json');
      expect(body.error_message).toContain(type);
    },
  );

  it('may have a charset in its content type', async () => {
    expect((await addSkript('application/json; charset=utf-8')).status).toBe(201);
  });

  it('may be empty and of any type for routes that need no body', async () => {
    const { body } = await addSkript('application/json');
    const bundled = await api('POST', `/joint-api/skripts/${body.id}/bundle`, '', { 'content-type': 'text/plain' });
    expect(bundled.body.error_code).toBe('main_missing');
    const deleted = await api('DELETE', `/joint-api/skripts/${body.id}`, undefined, { 'content-type': 'text/plain' });
    expect(deleted.status).toBe(200);
  });

  it('is refused when it is compressed', async () => {
    for (const path of ['/www/contact', '/panel/login', '/joint-api/skripts/addnew']) {
      const answer = await fetch(app.url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await app.token('developer')}`,
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        },
        body: gzipSync('{"title":"Small"}'),
      });
      expect([path, answer.status, ((await answer.json()) as any).error_code]).toEqual([
        path,
        415,
        'unsupported_media_type',
      ]);
    }
  });

  it('is not read for an unknown route or without permission', async () => {
    const unreadable = (path: string) => app.anonymous('POST', path, '{"not JSON');
    expect((await unreadable('/nowhere')).body.error_code).toBe('not_found');
    expect((await unreadable('/joint-api/skripts/addnew')).body.error_code).toBe('unauthorized');
    expect((await unreadable('/www/contact')).body.error_code).toBe('invalid_json');
  });

  it('of 100,000 characters is accepted from signed-in users only', async () => {
    const text = 'x'.repeat(100_000);
    expect((await app.anonymous('POST', '/panel/login', { username: text, password: text })).status).toBe(413);
    const { body } = await api('POST', '/joint-api/skripts/addnew', { title: 'Large', comment: text });
    expect(body.error_code).toBe('validation_failed');
    const tooLarge = await api('POST', '/joint-api/skripts/addnew', { title: 'x'.repeat(3 * 1024 * 1024) });
    expect([tooLarge.status, tooLarge.body.error_code]).toEqual([413, 'payload_too_large']);
  });

  it('that is nested more than 1,000 levels deep is refused before it is parsed', async () => {
    for (const levels of [1_001, 1_000_000]) {
      const { status, body } = await api('POST', '/joint-api/skripts/addnew', '['.repeat(levels));
      expect([status, body.error_message]).toEqual([400, 'The body is nested too deeply: the limit is 1000 levels.']);
    }
  });
});
