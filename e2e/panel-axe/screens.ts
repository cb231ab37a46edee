import { readFileSync } from 'node:fs';
import type { Shop } from './shop.js';

export interface Screen {
  /** Addresses without the role. The first one is that of the route, the others show it in other states. */
  at: (shop: Shop) => string[];
  /** Names of the buttons that open a dialog or a drawer. Menus and tabs need no entry. */
  opens?: string[];
  /** More buttons that only administrators have. */
  adminOpens?: string[];
  /** The role that opens the screen. Default: developer. Most screens look the same for administrators. */
  for?: 'visitors' | 'admins' | 'both';
}

/** The screen of each route of the panel's router. */
export const SCREENS: Record<string, Screen> = {
  login: { at: () => ['login'], for: 'visitors' },
  'forgot-password': { at: () => ['forgot-password'], for: 'visitors' },
  'set-password': { at: () => ['set-password'], for: 'visitors' },
  dashboard: { at: () => ['dashboard'], for: 'both' },
  // The name of a worker opens its last day.
  workers: { at: () => ['workers'], opens: ['local'], adminOpens: ['New worker', 'New group'], for: 'both' },
  skripts: { at: () => ['skripts'], opens: ['New skript', 'Upload'] },
  'skripts/sessions': { at: () => ['skripts/sessions'] },
  'skripts/polite-domains': { at: () => ['skripts/polite-domains'], opens: ['Set a budget'] },
  'skripts/queues': { at: () => ['skripts/queues'] },
  'skripts/queues/:queueId': { at: ({ queueId }) => [`skripts/queues/${queueId}`] },
  'skripts/proxies': { at: () => ['skripts/proxies'], opens: ['Add a pool'] },
  'skripts/proxies/:poolId': { at: ({ poolId }) => [`skripts/proxies/${poolId}`] },
  'skripts/:skriptId': {
    at: ({ skriptId, runId }) => [`skripts/${skriptId}`, `skripts/${skriptId}?execution_id=${runId}`],
  },
  'execute-skript': { at: ({ skriptId, runId }) => [`execute-skript?skript_id=${skriptId}&execution_id=${runId}`] },
  'skript-executions': { at: () => ['skript-executions'] },
  'skript-executions/compare': {
    at: ({ firstRunId, runId }) => [`skript-executions/compare?one=${firstRunId}&other=${runId}`],
  },
  'skript-executions/issues': { at: () => ['skript-executions/issues'] },
  'skript-executions/:executionId': {
    at: ({ runId, brokenRunId, failedRunId, askingRunId }) => [
      `skript-executions/${runId}`,
      `skript-executions/${brokenRunId}`,
      `skript-executions/${failedRunId}`,
      `skript-executions/${askingRunId}`,
    ],
  },
  echoes: { at: ({ runId }) => [`echoes?tab=saved&execution_id=${runId}`, 'echoes'] },
  scheduler: { at: () => ['scheduler'], opens: ['New schedule'] },
  'scheduler/:scheduleId': { at: ({ scheduleId }) => [`scheduler/${scheduleId}`] },
  storage: { at: () => ['storage'], opens: ['New database'] },
  'storage/sql': { at: () => ['storage/sql'] },
  'storage/tables/:schema/:table': { at: () => ['storage/tables/public/prices'] },
  'storage/:databaseId': { at: ({ databaseId }) => [`storage/${databaseId}`], opens: ['New collection'] },
  'storage/:databaseId/:collection': {
    at: ({ databaseId }) => [`storage/${databaseId}/shelves`, `storage/${databaseId}/shelves?tab=groups&by=shelf`],
    opens: ['Add documents'],
  },
  exporters: { at: () => ['exporters'] },
  'exporters/new': { at: ({ databaseId }) => [`exporters/new?db_id=${databaseId}&collection=shelves`] },
  'exporters/imports/:importId': { at: ({ importId }) => [`exporters/imports/${importId}`] },
  'joint-api': { at: () => ['joint-api'], opens: ['New API key'] },
  account: { at: ({ webhookId }) => ['account', `account?tab=notifications&webhook=${webhookId}`] },
  users: { at: () => ['users'], opens: ['New user'], for: 'admins' },
  'all-runs': { at: () => ['all-runs'], for: 'admins' },
  'all-runs/issues': { at: () => ['all-runs/issues'], for: 'admins' },
  'audit-log': { at: () => ['audit-log'], for: 'admins' },
  'contact-messages': { at: () => ['contact-messages'], for: 'admins' },
  platform: { at: () => ['platform'], for: 'admins' },
  '*': { at: () => ['no-such-page'] },
};

const texts = (source: string, pattern: RegExp): string[] => [...source.matchAll(pattern)].map(([, text = '']) => text);

/** Returns the paths of all routes of the panel's router, without the role. */
export function routePaths(): string[] {
  const [, ...sections] = readFileSync('panel/src/app/sections.tsx', 'utf8').split("slug: '");
  const ofSections = sections.flatMap(section => {
    const [slug] = section.split("'");
    return texts(section, /\bpath: '([^']*)'/g).map(path => (path === '' ? `${slug}` : `${slug}/${path}`));
  });
  // The other paths of the router have a parameter: they only lead to sections.
  const others = texts(readFileSync('panel/src/app/router.tsx', 'utf8'), /\bpath: '([^':]+)'/g);
  return [...others, ...ofSections];
}
