import {
  IconApi,
  IconCalendarTime,
  IconDatabase,
  IconFileCode,
  IconHistory,
  IconLayoutDashboard,
  IconListDetails,
  IconListSearch,
  IconMail,
  IconPlayerPlay,
  IconServer2,
  IconTool,
  IconTransfer,
  IconUser,
  IconUsers,
  IconWaveSine,
  type TablerIcon,
} from '@tabler/icons-react';
import type { PanelSection } from '@trawl/contracts';
import type { ComponentType, LazyExoticComponent } from 'react';
import { lazyScreen } from '../components/lazy-screen.js';

interface SectionRoute {
  /** Path of the screen below the section's slug; '' for the section's main screen. */
  path: string;
  /** Name by which the command palette finds a screen that the navigation does not have. */
  title?: string;
  Component: LazyExoticComponent<ComponentType>;
}

/** Slugs of the sections that only administrators see. They come after the other sections. */
type AdminSection = 'users' | 'audit-log' | 'contact-messages' | 'platform' | 'all-runs';

export interface Section {
  slug: PanelSection | AdminSection | 'account';
  title: string;
  Icon: TablerIcon;
  routes: SectionRoute[];
  forAdmins?: true;
  /** True if the navigation leads to it from the user's name instead of the list. */
  isHidden?: true;
}

/** The sections of the panel, in the order of the navigation. Each screen is a chunk that loads on first use. */
export const SECTIONS: Section[] = [
  {
    slug: 'dashboard',
    title: 'Dashboard',
    Icon: IconLayoutDashboard,
    routes: [{ path: '', Component: lazyScreen(() => import('../routes/dashboard.route.js')) }],
  },
  {
    slug: 'workers',
    title: 'Workers',
    Icon: IconServer2,
    routes: [{ path: '', Component: lazyScreen(() => import('../routes/workers.route.js')) }],
  },
  {
    slug: 'skripts',
    title: 'Skripts',
    Icon: IconFileCode,
    routes: [
      { path: '', Component: lazyScreen(() => import('../routes/skripts/skripts.route.js')) },
      {
        path: 'sessions',
        title: 'Sessions',
        Component: lazyScreen(() => import('../routes/skripts/site-sessions.route.js')),
      },
      {
        path: 'polite-domains',
        title: 'Polite domains',
        Component: lazyScreen(() => import('../routes/skripts/polite-domains.route.js')),
      },
      {
        path: 'queues',
        title: 'Queues',
        Component: lazyScreen(() => import('../routes/skripts/queues.route.js')),
      },
      { path: 'queues/:queueId', Component: lazyScreen(() => import('../routes/skripts/queue.route.js')) },
      {
        path: 'proxies',
        title: 'Proxies',
        Component: lazyScreen(() => import('../routes/proxies/proxy-pools.route.js')),
      },
      { path: 'proxies/:poolId', Component: lazyScreen(() => import('../routes/proxies/proxy-pool.route.js')) },
      { path: ':skriptId', Component: lazyScreen(() => import('../routes/skripts/skript.route.js')) },
    ],
  },
  {
    slug: 'execute-skript',
    title: 'Execute skript',
    Icon: IconPlayerPlay,
    routes: [{ path: '', Component: lazyScreen(() => import('../routes/runs/execute-skript.route.js')) }],
  },
  {
    slug: 'skript-executions',
    title: 'Skript executions',
    Icon: IconHistory,
    routes: [
      { path: '', Component: lazyScreen(() => import('../routes/runs/skript-executions.route.js')) },
      { path: 'compare', Component: lazyScreen(() => import('../routes/runs/compare-runs.route.js')) },
      { path: 'issues', Component: lazyScreen(() => import('../routes/runs/issues.route.js')) },
      { path: ':executionId', Component: lazyScreen(() => import('../routes/runs/skript-execution.route.js')) },
    ],
  },
  {
    slug: 'echoes',
    title: 'Echoes',
    Icon: IconWaveSine,
    routes: [{ path: '', Component: lazyScreen(() => import('../routes/runs/echoes.route.js')) }],
  },
  {
    slug: 'scheduler',
    title: 'Scheduler',
    Icon: IconCalendarTime,
    routes: [
      { path: '', Component: lazyScreen(() => import('../routes/scheduler/schedules.route.js')) },
      { path: ':scheduleId', Component: lazyScreen(() => import('../routes/scheduler/schedule.route.js')) },
    ],
  },
  {
    slug: 'storage',
    title: 'Storage',
    Icon: IconDatabase,
    routes: [
      { path: '', Component: lazyScreen(() => import('../routes/storage/databases.route.js')) },
      { path: 'sql', Component: lazyScreen(() => import('../routes/storage/sql.route.js')) },
      { path: 'tables/:schema/:table', Component: lazyScreen(() => import('../routes/storage/table.route.js')) },
      { path: ':databaseId', Component: lazyScreen(() => import('../routes/storage/collections.route.js')) },
      { path: ':databaseId/:collection', Component: lazyScreen(() => import('../routes/storage/documents.route.js')) },
    ],
  },
  {
    slug: 'exporters',
    title: 'Exporters',
    Icon: IconTransfer,
    routes: [
      { path: '', Component: lazyScreen(() => import('../routes/exporters/exporters.route.js')) },
      { path: 'new', Component: lazyScreen(() => import('../routes/exporters/new-export.route.js')) },
      { path: 'imports/:importId', Component: lazyScreen(() => import('../routes/exporters/import.route.js')) },
    ],
  },
  {
    slug: 'joint-api',
    title: 'Joint API',
    Icon: IconApi,
    routes: [{ path: '', Component: lazyScreen(() => import('../routes/joint-api.route.js')) }],
  },
  {
    slug: 'account',
    title: 'Your account',
    Icon: IconUser,
    isHidden: true,
    routes: [{ path: '', Component: lazyScreen(() => import('../routes/account/account.route.js')) }],
  },
  {
    slug: 'users',
    title: 'Users',
    Icon: IconUsers,
    forAdmins: true,
    routes: [{ path: '', Component: lazyScreen(() => import('../routes/admin/users.route.js')) }],
  },
  {
    slug: 'all-runs',
    title: 'All runs',
    Icon: IconListDetails,
    forAdmins: true,
    routes: [
      { path: '', Component: lazyScreen(() => import('../routes/admin/all-runs.route.js')) },
      { path: 'issues', Component: lazyScreen(() => import('../routes/admin/all-issues.route.js')) },
    ],
  },
  {
    slug: 'audit-log',
    title: 'Audit log',
    Icon: IconListSearch,
    forAdmins: true,
    routes: [{ path: '', Component: lazyScreen(() => import('../routes/admin/audit-log.route.js')) }],
  },
  {
    slug: 'contact-messages',
    title: 'Contact messages',
    Icon: IconMail,
    forAdmins: true,
    routes: [{ path: '', Component: lazyScreen(() => import('../routes/admin/contact-messages.route.js')) }],
  },
  {
    slug: 'platform',
    title: 'Platform',
    Icon: IconTool,
    forAdmins: true,
    routes: [{ path: '', Component: lazyScreen(() => import('../routes/admin/platform.route.js')) }],
  },
];
