import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { SEALED_VALUES } from './sealed-values.js';

const SOURCES = join(__dirname, '../../..');

/** Files that encrypt values, with the entries of `SEALED_VALUES` for each. */
const KNOWN: Record<string, string[]> = {
  'operation/admin/rotation/reseal.ts': [],
  'runs/executions/answers/answers.service.ts': ['live_runs.answers'],
  'runs/executions/start/start-preparation.service.ts': ['live_runs.payload'],
  'transfers/exports/destinations/export-destinations.service.ts': ['exporters.params', 'jobs.params'],
  'platform/idempotency/idempotency-keys.service.ts': ['idempotency_keys.answer_sealed'],
  'platform/mail/outbox.service.ts': ['outgoing_mails.message'],
  'platform/notifications/webhooks/webhooks.service.ts': [
    'webhook_endpoints.secret',
    'webhook_endpoints.previous_secret',
  ],
  'runs/executions/site-sessions/session-calls.service.ts': ['site_sessions.value_sealed'],
  'runs/executions/site-sessions/site-sessions.service.ts': ['site_sessions.value_sealed'],
  'runs/proxies/proxy-pools.repository.ts': ['proxies.url_sealed'],
  'runs/skripts/inputs/input-secrets.service.ts': ['input_secrets.val_sealed'],
  'runs/skripts/skript-contents.ts': ['input_secrets.val_sealed'],
};

it('a rotation of the secret covers every value that the backend encrypts', () => {
  const callers = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter(file => /\b(box|secretBox)\.seal\(/i.test(readFileSync(join(SOURCES, file), 'utf8')))
    .map(file => file.split(sep).join('/'));
  expect(callers.sort()).toEqual(Object.keys(KNOWN).sort());
  const covered = new Set(Object.values(KNOWN).flat());
  expect([...covered].sort()).toEqual(SEALED_VALUES.map(({ name }) => name).sort());
});
