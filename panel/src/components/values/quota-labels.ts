import type { QuotaName } from '@trawl/contracts';

export const QUOTA_LABELS: Record<QuotaName, string> = {
  skripts: 'Skripts',
  file_bytes: 'Files (bytes)',
  inputs: 'Inputs, input secrets and sessions',
  runs_at_once: 'Concurrent runs',
  waiting_runs: 'Waiting runs',
  runs_per_day: 'Starts per day (UTC)',
  echo_bytes_per_day: 'Saved echoes and outputs per day (bytes)',
  storage_bytes: 'Storage in databases (bytes)',
  databases: 'MongoDB databases',
  api_keys: 'API keys',
  schedules: 'Schedules',
  webhooks: 'Webhooks',
  proxies: 'Proxies and pools',
};
