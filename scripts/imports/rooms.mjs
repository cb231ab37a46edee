// @ts-check

/**
 * The folders inside each app, the most basic ones first. A folder may import only folders of earlier lines. If a
 * folder is missing here, `npm run lint` fails.
 * @type {Record<string, string[][]>}
 */
export const LAYERS = {
  'backend/src': [['platform'], ['data'], ['runs'], ['transfers'], ['people'], ['operation']],
  'backend/src/platform': [
    ['common'],
    ['redis'],
    ['database', 'http', 'outgoing'],
    ['auth', 'mail', 'objects', 'quotas'],
    ['idempotency'],
    ['audit', 'jobs', 'maintenance'],
    ['notifications'],
  ],
  'backend/src/data': [['storage'], ['postgres']],
  'backend/src/runs': [
    ['workers'],
    ['skripts'],
    ['polite', 'proxies', 'queues'],
    ['executions'],
    ['echoes', 'issues', 'scheduler'],
    ['dashboard', 'gateways'],
  ],
  'backend/src/transfers': [['exports'], ['imports']],
  'backend/src/people': [['users'], ['account', 'www']],
  'backend/src/operation': [['health', 'metrics'], ['openapi', 'site'], ['admin']],
  'worker/src': [
    ['protocol', 'process', 'records'],
    ['environments', 'platform', 'redaction', 'watchdog'],
    ['egress', 'libraries', 'spool'],
    ['executor'],
    ['browser', 'machine', 'runner'],
    ['pool'],
    ['runs'],
    ['calls', 'local'],
  ],
};
