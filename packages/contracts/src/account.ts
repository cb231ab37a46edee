export const ROLES = ['developer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What an API key may do; each may also do what the ones before it may. */
export const KEY_SCOPES = ['read', 'run', 'all'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** One line of `credentials.json` in the data folder: the accounts made at the first start. */
export interface Credential {
  username: string;
  password: string;
  role: Role;
}

/** The ten sections of the panel, as they stand in its addresses after the role. */
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
