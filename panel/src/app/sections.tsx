import {
  IconApi,
  IconDatabase,
  IconFileCode,
  IconHistory,
  IconLayoutDashboard,
  IconListSearch,
  IconPlayerPlay,
  IconServer2,
  IconUsers,
  IconWaveSine,
  type TablerIcon,
} from '@tabler/icons-react';
import type { PanelSection } from '@trawl/contracts';
import type { ComponentType, LazyExoticComponent } from 'react';
import { lazyCode } from '../components/lazy-code.js';

interface SectionRoute {
  /** Below the section's slug; '' is the section itself. */
  path: string;
  Component: LazyExoticComponent<ComponentType>;
}

/** What only an administrator has, after the sections of everybody. */
type AdminSection = 'users' | 'audit-log';

export interface Section {
  slug: PanelSection | AdminSection;
  title: string;
  Icon: TablerIcon;
  routes: SectionRoute[];
  forAdmins?: true;
}

/** The sections of the panel, in the order of the navigation. Each screen is loaded when it is first opened. */
export const SECTIONS: Section[] = [
  {
    slug: 'dashboard',
    title: 'Dashboard',
    Icon: IconLayoutDashboard,
    routes: [{ path: '', Component: lazyCode(() => import('../routes/dashboard.route.js')) }],
  },
  {
    slug: 'workers',
    title: 'Workers',
    Icon: IconServer2,
    routes: [{ path: '', Component: lazyCode(() => import('../routes/workers.route.js')) }],
  },
  {
    slug: 'skripts',
    title: 'Skripts',
    Icon: IconFileCode,
    routes: [
      { path: '', Component: lazyCode(() => import('../routes/skripts.route.js')) },
      { path: ':skriptId', Component: lazyCode(() => import('../routes/skript.route.js')) },
    ],
  },
  {
    slug: 'execute-skript',
    title: 'Execute skript',
    Icon: IconPlayerPlay,
    routes: [{ path: '', Component: lazyCode(() => import('../routes/execute-skript.route.js')) }],
  },
  {
    slug: 'skript-executions',
    title: 'Skript executions',
    Icon: IconHistory,
    routes: [
      { path: '', Component: lazyCode(() => import('../routes/skript-executions.route.js')) },
      { path: ':executionId', Component: lazyCode(() => import('../routes/skript-execution.route.js')) },
    ],
  },
  {
    slug: 'echoes',
    title: 'Echoes',
    Icon: IconWaveSine,
    routes: [{ path: '', Component: lazyCode(() => import('../routes/echoes.route.js')) }],
  },
  {
    slug: 'storage',
    title: 'Storage',
    Icon: IconDatabase,
    routes: [
      { path: '', Component: lazyCode(() => import('../routes/databases.route.js')) },
      { path: ':databaseId', Component: lazyCode(() => import('../routes/collections.route.js')) },
      { path: ':databaseId/:collection', Component: lazyCode(() => import('../routes/documents.route.js')) },
    ],
  },
  {
    slug: 'joint-api',
    title: 'Joint API',
    Icon: IconApi,
    routes: [{ path: '', Component: lazyCode(() => import('../routes/joint-api.route.js')) }],
  },
  {
    slug: 'users',
    title: 'Users',
    Icon: IconUsers,
    forAdmins: true,
    routes: [{ path: '', Component: lazyCode(() => import('../routes/users.route.js')) }],
  },
  {
    slug: 'audit-log',
    title: 'Audit log',
    Icon: IconListSearch,
    forAdmins: true,
    routes: [{ path: '', Component: lazyCode(() => import('../routes/audit-log.route.js')) }],
  },
];
