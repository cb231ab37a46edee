import { newSession } from '../world.js';
import type { Routes } from './route.js';

export const accountRoutes: Routes = {
  login: {
    access: 'public',
    call: ({ app }) => ({ body: app.credentials('developer') }),
    errors: { bad_login: () => ({ body: { username: 'developer', password: 'wrong' } }) },
  },
  logout: { access: 'own', scope: 'session' },
  getAccount: { access: 'own' },
  updatePreferences: { access: 'own', call: () => ({ body: { rows: 'comfortable' } }) },
  listSessions: { access: 'own' },
  renewSession: { access: 'own', scope: 'session' },
  deleteSession: {
    access: 'owned',
    scope: 'session',
    call: async ({ owner, app }) => ({ path: { session_id: await newSession(app, owner.token) } }),
  },
  changePassword: {
    access: 'own',
    scope: 'session',
    // The call "changes" the owner's password to the same password. For other callers, `current_password` is wrong, so
    // they get 400.
    expect: { other: 400, admin: 400 },
    call: ({ owner: { password } }) => ({ body: { current_password: password, new_password: password } }),
    errors: {
      too_many_requests: () => ({
        as: 'other',
        body: { current_password: 'wrong', new_password: 'nets & knots & depth' },
      }),
    },
  },
  downloadAccountArchive: {
    access: 'own',
    scope: 'session',
    errors: { too_many_requests: () => ({ as: 'other' }) },
  },
  deleteAccount: {
    access: 'own',
    scope: 'session',
    // The world needs its accounts, so each call has a wrong password.
    expect: { owner: 400, other: 400, admin: 400 },
    call: ({ owner: { username } }) => ({ body: { username, password: 'wrong' } }),
    errors: {
      last_administrator: async ({ app, admin: { id, username, password } }) => {
        await app.sql(`UPDATE users SET disabled_at = now() WHERE role = 'admin' AND id <> $1`, [id]);
        return { as: 'admin', body: { username, password } };
      },
      too_many_requests: ({ other: { username } }) => ({ as: 'other', body: { username, password: 'wrong' } }),
    },
  },
  getNotificationSettings: { access: 'own' },
  updateNotificationSettings: { access: 'own', call: () => ({ body: { email_events: ['schedule.missed'] } }) },
  listNotices: { access: 'own' },
  readNotices: { access: 'own' },
  getDashboard: { access: 'own' },
  getRunSeries: { access: 'own' },
  getPlatformRunSeries: { access: 'admin' },
};
