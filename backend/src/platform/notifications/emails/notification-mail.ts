import { byteSize } from '@trawl/contracts';
import { compose, type Part } from '../../mail/compose.js';
import type { Mail } from '../../mail/mail-transport.js';
import type { NotificationEvent } from '../record-events.js';

/** Events of one type about the same thing, for example the failed runs of an issue. */
export interface EventGroup {
  event: NotificationEvent['type'];
  /** Name of the skript, schedule, worker, webhook or file. */
  name: string;
  /** Message of the issue of failed runs that are one issue; null for other events. */
  error: string | null;
  count: number;
  /** Data of the latest of these events. */
  latest: EventData;
}

/** The fields of all types together. */
export interface EventData {
  execution_id?: string;
  skript?: { name: string };
  worker?: { name: string } | null;
  error_code?: string | null;
  error_message?: string | null;
  problem?: { message: string; is_waiting: boolean };
  missed?: number;
  reason?: string;
  last_seen_at?: string;
  state?: 'done' | 'failed' | 'broken' | 'old' | 'right';
  /** Since when rows are broken or old, in a daily digest. */
  since?: string;
  /** Number of broken runs since the last message. */
  runs?: number;
  fresh_hours?: number;
  /** Sentences about rows that are broken. */
  findings?: string[];
  /** Numbers of items. */
  added?: number;
  changed?: number;
  gone?: number;
  back?: number;
  rows?: number | null;
  inserted?: number | null;
  updated?: number | null;
  bad_rows?: number;
  link?: string | null;
  quota?: { name: string; limit: number; used: number };
  percent?: number;
}

interface Words {
  /** Says what happened, as the subject of an e-mail about this event alone. */
  one: (name: string, data: EventData) => string;
  /** Says what happened several times. */
  many: (name: string, count: number, error: string | null) => string;
  /** Facts and texts of one event. */
  parts: (data: EventData) => Part[];
}

const runFacts = ({ execution_id = '', worker }: EventData): Part => ({
  facts: [['Run', execution_id], ...(worker ? [['Worker', worker.name] as [string, string]] : [])],
});

const skriptFacts = ({ skript, worker }: EventData): Part => ({
  facts: [['Skript', skript?.name ?? ''], ...(worker ? [['Worker', worker.name] as [string, string]] : [])],
});

const finished = (what: string): Pick<Words, 'one' | 'many'> => ({
  one: (name, { state }) => `Your ${what} “${name}” ${state === 'done' ? 'is done' : 'failed'}`,
  many: (name, count) => `Your ${what} “${name}” finished ${count} times`,
});

/** Facts of a job that is done, or the reason of its failure. */
const result = ({ state, error_message }: EventData, facts: [string, number | null | undefined][]): Part[] =>
  state === 'done'
    ? [{ facts: facts.map(([name, value]) => [name, String(value ?? 0)]) }]
    : [{ quote: error_message ?? '' }];

const sinceFacts = ({ since = '', runs }: EventData): [string, string][] => [
  ['Since', since],
  ...(runs === undefined ? [] : [['Broken runs since the last message', String(runs)] as [string, string]]),
];

const WORDS: Record<EventGroup['event'], Words> = {
  'run.completed': {
    one: name => `A run of “${name}” ended`,
    many: (name, count) => `${count} runs of “${name}” ended`,
    parts: data => [runFacts(data)],
  },
  'run.failed': {
    one: (name, { error_code }) => `A run of “${name}” failed: ${error_code}`,
    many: (name, count, error) =>
      error === null ? `${count} runs of “${name}” failed` : `“${name}” failed in ${count} runs: ${error}`,
    parts: data => [runFacts(data), ...(data.error_message ? [{ quote: data.error_message }] : [])],
  },
  'run.stopped': {
    one: name => `A run of “${name}” was stopped`,
    many: (name, count) => `${count} runs of “${name}” were stopped`,
    parts: data => [runFacts(data)],
  },
  'rows.broken': {
    one: (name, { state, since }) =>
      `The rows of “${name}” are ${state === 'right' ? 'right again' : since ? 'still broken' : 'broken'}`,
    many: (name, count) => `The rows of “${name}” broke or were right again, ${count} times`,
    parts: data => [
      runFacts(data),
      ...(data.findings?.length ? [{ quote: data.findings.join('\n') }] : []),
      ...(data.since ? [{ facts: sinceFacts(data) }] : []),
    ],
  },
  'rows.fresh': {
    one: (name, { state, since }) =>
      state === 'right' ? `“${name}” has new rows again` : `The rows of “${name}” are ${since ? 'still ' : ''}too old`,
    many: (name, count) => `The rows of “${name}” were too old or new again, ${count} times`,
    parts: data =>
      data.state === 'right'
        ? ['A good run of this skript has ended.']
        : [
            `No good run of this skript has ended within ${data.fresh_hours} hours, as its contract wants.`,
            ...(data.since ? [{ facts: sinceFacts(data) }] : []),
          ],
  },
  'rows.changed': {
    one: name => `The rows of “${name}” have changed`,
    many: (name, count) => `The rows of “${name}” have changed, ${count} times`,
    parts: data => [
      runFacts(data),
      {
        facts: (['added', 'changed', 'gone', 'back'] as const).map(kind => [
          kind[0]?.toUpperCase() + kind.slice(1),
          String(data[kind] ?? 0),
        ]),
      },
    ],
  },
  'schedule.missed': {
    one: name => `Your schedule “${name}” missed fires`,
    many: (name, count) => `Your schedule “${name}” missed fires, ${count} times`,
    parts: ({ missed }) => [
      `The platform was down or in maintenance, so this schedule missed ${missed} of its fires. Its list of fires shows them.`,
    ],
  },
  'schedule.problem': {
    one: (name, { problem }) =>
      problem?.is_waiting ? `A run of your schedule “${name}” is waiting` : `Your schedule “${name}” made no run`,
    many: (name, count) => `Your schedule “${name}” had a problem, ${count} times`,
    parts: data => [
      data.problem?.is_waiting
        ? 'This schedule fired, but no worker takes its run:'
        : 'This schedule fired, but made no run:',
      skriptFacts(data),
      { quote: data.problem?.message ?? '' },
      'The schedule stays enabled and fires again at its next time. Its list of fires shows the result of each.',
    ],
  },
  'worker.lost': {
    one: name => `The worker “${name}” stopped responding`,
    many: (name, count) => `The worker “${name}” stopped responding, ${count} times`,
    parts: ({ last_seen_at = '' }) => [
      { facts: [['Last heard of', last_seen_at]] },
      'Its runs ended with `worker_lost`. Runs with retries left start again, on this worker or another.',
    ],
  },
  'export.finished': {
    ...finished('export'),
    parts: data => [
      ...result(data, [['Rows', data.rows]]),
      ...(data.link
        ? [{ button: 'Download the file', href: data.link }, 'Anyone with this link can download it.']
        : []),
    ],
  },
  'import.finished': {
    ...finished('import'),
    parts: data =>
      result(data, [
        ['Rows added', data.inserted],
        ['Rows updated', data.updated],
        ['Bad rows', data.bad_rows],
      ]),
  },
  'quota.warning': {
    one: (name, { percent }) => `You used ${percent} % of your quota ${name}`,
    many: name => `You are near your quota ${name}`,
    parts: ({ quota, percent = 0 }) => [
      { facts: [['Used', `${byteSize(quota?.used ?? 0)} of ${byteSize(quota?.limit ?? 0)}`]] },
      quota?.name === 'storage_bytes'
        ? 'When all is used, Trawl refuses to store more: calls fail with 413, and runs with `storage_full`. Delete data, or ask an administrator for more.'
        : percent < 100
          ? 'When all is used, Trawl stops saving the echoes of your runs until midnight UTC. The runs continue.'
          : 'Trawl saves no more echoes of your runs until midnight UTC. The runs continue.',
    ],
  },
  'webhook.disabled': {
    one: name => `Trawl disabled your webhook “${name}”`,
    many: (name, count) => `Trawl disabled your webhook “${name}”, ${count} times`,
    parts: ({ reason = '' }) => [
      { quote: reason },
      'Events of this time are not sent. Repair the receiver, enable the webhook, and send a test event.',
    ],
  },
};

/** Says what happened, in one line. */
export const eventText = (event: EventGroup['event'], name: string, data: EventData): string =>
  WORDS[event].one(name, data);

const groupText = ({ event, name, error, count, latest }: EventGroup): string =>
  count === 1 ? eventText(event, name, latest) : WORDS[event].many(name, count, error);

/**
 * Composes the e-mail about the events of an account: about one thing in full, about several as a list.
 * @param maxGroups number of lines in the list. The others are counted.
 * @param role of the account; links lead to its panel.
 */
export function notificationMail(
  { to, role }: { to: string; role: string },
  groups: EventGroup[],
  maxGroups: number,
  publicUrl: string,
): Mail {
  const footer = `Sent by ${publicUrl} because you chose these notifications or own what they are about. You get at most one such e-mail an hour.`;
  const [first] = groups as [EventGroup];
  const { parts } = WORDS[first.event];
  const subject = groupText(first);
  const panel = `${publicUrl}/panel/${role}`;
  if (groups.length === 1) {
    const link = runLink(first.latest, first.count, panel);
    return compose({ to, subject }, [...aboutEvent(first), ...parts(first.latest), ...link], footer);
  }
  const lines: Part[] = groups.slice(0, maxGroups).map(groupText);
  const rest = groups.length - lines.length;
  const link = { button: 'Open the panel', href: panel };
  const more = rest > 0 ? [`${rest} more notifications are not listed.`] : [];
  return compose({ to, subject: `${groups.length} notifications from Trawl` }, [...lines, ...more, link], footer);
}

/** Leads to the run that the event is about, or to the latest of several. */
const runLink = ({ execution_id: id }: EventData, count: number, panel: string): Part[] =>
  id === undefined
    ? []
    : [{ button: count === 1 ? 'Open the run' : 'Open the latest run', href: `${panel}/skript-executions/${id}` }];

/** Names the thing that the event is about, unless the parts do. */
const aboutEvent = ({ event, name }: EventGroup): Part[] => {
  const kind = event.split('.')[0] ?? '';
  const label = kind === 'run' ? 'Skript' : `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return [{ facts: [[label, name]] }];
};
