import type { Routes } from './route.js';

export const healthRoutes: Routes = {
  isLive: { access: 'public' },
  isReady: { access: 'public' },
  getPlatformHealth: { access: 'admin' },
};
