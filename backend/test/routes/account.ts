import type { Routes } from './route.js';

export const accountRoutes: Routes = {
  login: {
    access: 'public',
    call: ({ app }) => ({ body: app.credentials('developer') }),
    errors: { bad_login: () => ({ body: { username: 'developer', password: 'wrong' } }) },
  },
  logout: { access: 'own', scope: 'session' },
  getAccount: { access: 'own' },
};
