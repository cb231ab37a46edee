import type { Routes } from './route.js';

export const auditRoutes: Routes = {
  listAuditEntries: { access: 'admin' },
  listOwnAuditEntries: { access: 'own' },
};
