import type { Routes } from './route.js';

export const accountRoutes: Routes = {
  login: {
    access: 'public',
    call: ({ app }) => ({ body: app.credentials('developer') }),
    errors: { bad_login: () => ({ body: { username: 'developer', password: 'wrong' } }) },
  },
  logout: { access: 'own', scope: 'session' },
  getAccount: { access: 'own' },
  changePassword: {
    access: 'own',
    scope: 'session',
    // Everybody in the world of the tests has a password of their own; nobody's is changed to another.
    call: ({ app }) => ({
      body: {
        current_password: app.credentials('developer').password,
        new_password: app.credentials('developer').password,
      },
    }),
  },
  getDashboard: { access: 'own' },
};
