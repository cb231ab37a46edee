/** The events that an account can be told of, by webhook or e-mail, and when each happens. */
export const EVENTS = {
  'run.completed': 'A run ended without an error.',
  'run.failed': 'A run ended with an error, and no retry follows.',
  'run.stopped': 'A run was stopped.',
  'rows.broken':
    'The rows of a run are broken; or they are right again. Once for each change, and once a day while broken runs follow.',
  'rows.fresh':
    'No good run of a skript ended within the `fresh_hours` of its contract; or one did again. Once a day while it lasts.',
  'rows.changed':
    'The rows with a key of a run are merged, and they differ from those of earlier runs. With the first 100 changes.',
  'schedule.missed': 'A schedule missed fires, because the platform was down or in maintenance.',
  'schedule.problem':
    'A fire of a schedule made no run, or no worker takes its run. Once when the problem starts, then once a day while it lasts.',
  'worker.lost':
    'A worker stopped responding. Tells administrators, and the accounts to which an administrator assigned the worker.',
  'export.finished': 'An export is done, or has failed.',
  'import.finished': 'An import is done, or has failed.',
  'quota.warning': 'The account used 80 % of its storage quota; or 80 % or all of its daily quota of saved echoes.',
} as const;
export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** The states of a webhook delivery. `pending` waits for its first or next attempt. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Events of the notices that the panel shows. `issue.opened`: runs fail in a new way, or again. */
export const NOTICE_EVENTS = [
  'issue.opened',
  'rows.broken',
  'rows.fresh',
  'schedule.missed',
  'schedule.problem',
  'worker.lost',
  'export.finished',
  'import.finished',
  'quota.warning',
  'webhook.disabled',
] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** The kinds of things that notices are about: the first part of their event. */
export const NOTICE_SUBJECTS = ['issue', 'rows', 'schedule', 'worker', 'export', 'import', 'quota', 'webhook'] as const;
export type NoticeSubject = (typeof NOTICE_SUBJECTS)[number];
