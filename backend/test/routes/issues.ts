import type { Routes } from './route.js';

export const issueRoutes: Routes = {
  listIssues: { access: 'own' },
  listAllIssues: { access: 'admin' },
  getIssue: { access: 'owned' },
  updateIssue: { access: 'owned', call: () => ({ body: { status: 'muted' } }) },
};
