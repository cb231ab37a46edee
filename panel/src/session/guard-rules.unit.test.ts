import { blockReason, dashboardPath, GUARD_MESSAGE_MS, NOT_LOGGED_IN, WRONG_ROLE } from './guard-rules.js';

const developer = { username: 'ana', role: 'developer', token: 't' };

describe('the route guards of the panel', () => {
  it('block a user who is not signed in', () => {
    expect(blockReason(null, '/panel/developer/skripts')).toBe(NOT_LOGGED_IN);
    expect(NOT_LOGGED_IN).toBe('This route is blocked because the user is not logged in');
    expect(GUARD_MESSAGE_MS).toBe(2100);
  });

  it('allow the routes of the user’s own role', () => {
    expect(blockReason(developer, '/panel/developer')).toBeNull();
    expect(blockReason(developer, '/panel/developer/skripts/1')).toBeNull();
  });

  it.each(['/panel/admin/skripts', '/panel/developers/skripts', '/panel/admin/developer', '/panel/'])(
    'block %s for a developer, because the segment after /panel/ is not their role',
    pathname => {
      expect(blockReason(developer, pathname)).toBe(WRONG_ROLE);
      expect(WRONG_ROLE).toBe("This route is blocked because the user doesn't have valid role");
    },
  );

  it('lead an administrator to the administrators’ dashboard', () => {
    expect(dashboardPath('admin')).toBe('/admin/dashboard');
  });
});
