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
  listSessions: { access: 'own' },
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
  getNotificationSettings: { access: 'own' },
  updateNotificationSettings: { access: 'own', call: () => ({ body: { email_events: ['schedule.missed'] } }) },
  getDashboard: { access: 'own' },
  getRunSeries: { access: 'own' },
};
