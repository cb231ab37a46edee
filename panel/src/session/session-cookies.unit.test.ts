import { expiredCookies, readSession, SESSION_SECONDS, sessionCookies } from './session-cookies.js';

const session = { username: 'ana=1; x', role: 'developer', token: 'a.b-c_d' };

const asCookieText = (texts: string[]) => texts.map(text => text.split(';')[0]).join('; ');

describe('the session cookies', () => {
  it('return the stored session, also with special characters', () => {
    expect(readSession(asCookieText(sessionCookies(session)))).toEqual(session);
  });

  it('expire after 5 hours, with path / and SameSite=Strict, without Secure and HttpOnly', () => {
    expect(SESSION_SECONDS).toBe(18_000);
    for (const text of sessionCookies(session)) {
      expect(text).toContain('; Max-Age=18000; Path=/; SameSite=Strict');
      expect(text).not.toMatch(/secure|httponly/i);
    }
  });

  it.each([
    ['no cookie', ''],
    ['a missing token', 'username=ana; role=developer'],
    ['an empty username', 'username=; role=developer; token=t'],
    ['a broken encoding', 'username=%E0%A4%A; role=developer; token=t'],
  ])('contain no session if they have %s', (_case, text) => {
    expect(readSession(text)).toBeNull();
  });

  it('are all deleted when the user signs out, and so are other cookies', () => {
    expect(expiredCookies('username=ana; theme=dark; token=t')).toEqual([
      'username=; Max-Age=0; Path=/; SameSite=Strict',
      'theme=; Max-Age=0; Path=/; SameSite=Strict',
      'token=; Max-Age=0; Path=/; SameSite=Strict',
    ]);
  });
});
