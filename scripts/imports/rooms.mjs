// @ts-check

/**
 * The folders inside each app, the most basic ones first. A folder may import only folders of earlier lines. If a
 * folder is missing here, `npm run lint` fails.
 * @type {Record<string, string[][]>}
 */
export const LAYERS = {
  'backend/src': [
    ['common'],
    ['redis'],
    ['database', 'http', 'outgoing'],
    ['auth', 'mail', 'objects', 'quotas'],
    ['idempotency'],
    ['audit', 'jobs', 'maintenance', 'notifications', 'workers'],
    ['storage'],
    ['postgres', 'skripts'],
    ['executions', 'names'],
    ['echoes', 'scheduler'],
    ['exports', 'imports'],
    ['users'],
    ['account', 'dashboard', 'gateways', 'www'],
    ['health', 'metrics'],
    ['openapi', 'site'],
    ['admin'],
  ],
  'worker/src': [
    ['protocol', 'process'],
    ['platform', 'redaction', 'watchdog'],
    ['egress', 'libraries', 'spool'],
    ['executor'],
    ['browser', 'pool', 'runner'],
    ['runs'],
    ['calls', 'local'],
  ],
};
