import type { Routes } from './route.js';

export const echoRoutes: Routes = {
  listEchoes: { access: 'owned' },
  downloadEchoes: { access: 'owned' },
  streamEchoes: { access: 'owned' },
};
