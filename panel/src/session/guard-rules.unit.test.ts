import { blockedBecause, dashboardOf, GUARD_MESSAGE_MS, NOT_LOGGED_IN, WRONG_ROLE } from './guard-rules.js';

const developer = { username: 'ana', role: 'developer', token: 't' };

describe('the guards', () => {
  it('block whoever is not logged in, with the message of the specification', () => {
    expect(blockedBecause(null, '/panel/developer/skripts')).toBe(NOT_LOGGED_IN);
    expect(NOT_LOGGED_IN).toBe('This route is blocked because the user is not logged in');
    expect(GUARD_MESSAGE_MS).toBe(2100);
  });

  it('open the routes of one’s own role', () => {
    expect(blockedBecause(developer, '/panel/developer')).toBeNull();
    expect(blockedBecause(developer, '/panel/developer/skripts/1')).toBeNull();
  });

  it.each(['/panel/admin/skripts', '/panel/developers/skripts', '/panel/admin/developer', '/panel/'])(
    'block %s for a developer: only the segment after /panel/ counts',
    pathname => {
      expect(blockedBecause(developer, pathname)).toBe(WRONG_ROLE);
      expect(WRONG_ROLE).toBe("This route is blocked because the user doesn't have valid role");
    },
  );

  it('send a role to its own dashboard', () => {
    expect(dashboardOf('admin')).toBe('/admin/dashboard');
  });
});
