export const ROLES = ['developer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Scopes of an API key; each includes the ones before it. */
export const KEY_SCOPES = ['read', 'run', 'all'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/**
 * One entry of `credentials.json` in the data folder. It describes an account that Trawl creates at its first start.
 */
export interface Credential {
  username: string;
  password: string;
  role: Role;
}

/** The ten sections of the panel. In the panel's URLs the section follows the role. */
export const PANEL_SECTIONS = [
  'dashboard',
  'workers',
  'skripts',
  'execute-skript',
  'skript-executions',
  'echoes',
  'scheduler',
  'storage',
  'exporters',
  'joint-api',
] as const;
export type PanelSection = (typeof PANEL_SECTIONS)[number];
