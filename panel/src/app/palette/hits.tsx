import type { SpotlightActionData, SpotlightActionGroupData } from '@mantine/spotlight';
import {
  IconAlertTriangle,
  IconBraces,
  IconCalendarTime,
  IconFileCode,
  IconHistory,
  IconKeyboard,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlus,
  IconRefresh,
  IconRowInsertBottom,
  IconServer2,
  IconTransfer,
  IconUser,
  type TablerIcon,
} from '@tabler/icons-react';
import { exportPath } from '../../components/runs/target-place.js';
import { openVerdict } from '../../components/runs/verdict-words.js';
import { inReadingOrder } from '../../components/values/in-reading-order.js';
import { relativeWords } from '../../components/values/relative-time.js';
import { ACTION_LABELS } from '../../components/values/status.js';
import { SECTIONS } from '../sections.js';
import type { Found } from './search.js';
import type { useCommands } from './use-commands.js';
import type { Verb } from './verbs.js';

type Commands = ReturnType<typeof useCommands>;

interface Hit {
  id: string;
  label: string;
  description?: string;
  Icon: TablerIcon;
  go: () => void;
  /** True if the palette stays open. */
  stays?: boolean;
}

const actionOf = ({ id, label, description, Icon, go, stays }: Hit): SpotlightActionData => ({
  id,
  label: inReadingOrder(label),
  description: description && inReadingOrder(description),
  leftSection: <Icon size={18} stroke={1.7} aria-hidden />,
  onClick: go,
  closeSpotlightOnTrigger: !stays,
});

const group = (title: string, hits: Hit[]): SpotlightActionGroupData => ({ group: title, actions: hits.map(actionOf) });

/** State, time and id of a run: runs of one skript have the same name. */
const runFacts = (run: Found['runs'][number]) => {
  const verdict = openVerdict(run);
  const result = verdict ? `${ACTION_LABELS[run.action]}, rows ${verdict.level}` : ACTION_LABELS[run.action];
  return `${result} · ${relativeWords(run.created_at, Date.now())} · ${run.id}`;
};
const newSchedule = (id: string) => `scheduler?new=1&start_skript_id=${id}`;
const place = ({ name, database }: Found['collections'][number]) =>
  `${encodeURIComponent(database.id)}/${encodeURIComponent(name)}`;
const exportOf = ({ name, database }: Found['collections'][number]) =>
  `exporters${exportPath({ store: 'mongodb', databaseId: database.id, collection: name })}`;

interface FindOptions extends Commands {
  isAdmin: boolean;
  /** Writes a text into the palette's field. */
  type: (text: string) => void;
}

/** Actions that need no thing, and the beginnings of commands. */
const generalHits = ({ to, otherRows, setRows, showShortcuts, type }: FindOptions): Hit[] => [
  { id: 'new skript', label: 'New skript', Icon: IconPlus, go: to('skripts?new=1') },
  { id: 'new schedule', label: 'New schedule', Icon: IconPlus, go: to('scheduler?new=1') },
  { id: 'new export', label: 'New export', Icon: IconPlus, go: to('exporters/new') },
  ...[
    { word: 'run', label: 'Run a skript…', Icon: IconPlayerPlay },
    { word: 'pause', label: 'Pause a schedule or run…', Icon: IconPlayerPause },
    { word: 'stop', label: 'Stop a run…', Icon: IconPlayerStop },
    { word: 'restart', label: 'Restart a worker…', Icon: IconRefresh },
    { word: 'export', label: 'Export a collection…', Icon: IconTransfer },
  ].map(({ word, label, Icon }) => ({ id: word, label, Icon, go: () => type(`${word} `), stays: true })),
  {
    id: 'broken rows',
    label: 'Runs with broken rows',
    Icon: IconAlertTriangle,
    go: to('skript-executions?verdict=broken'),
  },
  { id: 'rows', label: `Use ${otherRows} rows in lists`, Icon: IconRowInsertBottom, go: setRows(otherRows) },
  { id: 'shortcuts', label: 'Show keyboard shortcuts', Icon: IconKeyboard, go: showShortcuts },
];

/** Returns what has a text in its name, and the actions on the best hit. */
export function findHits(text: string, found: Found, options: FindOptions): SpotlightActionGroupData[] {
  const { to, isAdmin, run } = options;
  const matches = (label: string) => label.toLowerCase().includes(text.toLowerCase());
  const [best] = text === '' ? [] : found.skripts;
  return [
    group(
      'Runs',
      found.runs.map(item => ({
        id: `run ${item.id}`,
        label: item.skript.name,
        description: runFacts(item),
        Icon: IconHistory,
        go: to(`skript-executions/${item.id}`),
      })),
    ),
    group(
      'Skripts',
      found.skripts.map(({ id, title, category }) => ({
        id: `skript ${id}`,
        label: title,
        description: category,
        Icon: IconFileCode,
        go: to(`skripts/${id}`),
      })),
    ),
    group('Actions', [
      ...(best
        ? [
            { id: 'run best', label: `Run ${best.title}`, Icon: IconPlayerPlay, go: run(best.id, best.title) },
            {
              id: 'schedule best',
              label: `New schedule for ${best.title}`,
              Icon: IconCalendarTime,
              go: to(newSchedule(best.id)),
            },
          ]
        : []),
      ...generalHits(options).filter(({ label }) => matches(label)),
    ]),
    group(
      'Schedules',
      found.schedules.map(({ id, name, skript, enabled }) => ({
        id: `schedule ${id}`,
        label: name,
        description: enabled ? skript.name : `${skript.name}, paused`,
        Icon: IconCalendarTime,
        go: to(`scheduler/${id}`),
      })),
    ),
    group(
      'Collections',
      found.collections.map(item => ({
        id: `collection ${place(item)}`,
        label: item.name,
        description: item.database.name,
        Icon: IconBraces,
        go: to(`storage/${place(item)}`),
      })),
    ),
    group(
      'Workers',
      found.workers.map(({ id, name, status }) => ({
        id: `worker ${id}`,
        label: name,
        description: status,
        Icon: IconServer2,
        go: to(`workers?worker_id=${id}`),
      })),
    ),
    group(
      'Users',
      found.users.map(({ id, username }) => ({
        id: `user ${id}`,
        label: username,
        Icon: IconUser,
        go: to(`users?${new URLSearchParams({ search: username })}`),
      })),
    ),
    group(
      'Screens',
      SECTIONS.filter(({ forAdmins }) => isAdmin || !forAdmins)
        .flatMap(({ slug, title, Icon, routes }) => [
          { path: slug as string, title, Icon },
          ...routes.flatMap(route =>
            route.title ? [{ path: `${slug}/${route.path}`, title: route.title, Icon }] : [],
          ),
        ])
        .filter(({ title }) => matches(title))
        .map(({ path, title, Icon }) => ({ id: `screen ${path}`, label: title, Icon, go: to(path) })),
    ),
  ];
}

/** Returns what a command can be done to. */
export function commandHits(verb: Verb, found: Found, commands: Commands): SpotlightActionGroupData[] {
  const { to, run, enable, control } = commands;
  const skripts = (label: string, Icon: TablerIcon, go: (id: string, title: string) => () => void) =>
    group(
      'Skripts',
      found.skripts.map(({ id, title }) => ({
        id: `skript ${id}`,
        label: `${label} ${title}`,
        Icon,
        go: go(id, title),
      })),
    );
  switch (verb) {
    case 'run':
      return [skripts('Run', IconPlayerPlay, run)];
    case 'new schedule':
      return [skripts('New schedule for', IconCalendarTime, id => to(newSchedule(id)))];
    case 'export':
      return [
        group(
          'Collections',
          found.collections.map(item => ({
            id: `collection ${place(item)}`,
            label: `Export ${item.name}`,
            description: item.database.name,
            Icon: IconTransfer,
            go: to(exportOf(item)),
          })),
        ),
      ];
    case 'restart':
      return [
        group(
          'Workers',
          found.workers
            .filter(({ may_restart, status }) => may_restart && status !== 'offline')
            .map(({ id, name, status }) => ({
              id: `worker ${id}`,
              label: `Restart ${name}…`,
              description: status,
              Icon: IconRefresh,
              go: to(`workers?worker_id=${id}&restart=${id}`),
            })),
        ),
      ];
    default: {
      const word = { pause: 'Pause', resume: 'Resume', stop: 'Stop' }[verb];
      const Icon = { pause: IconPlayerPause, resume: IconPlayerPlay, stop: IconPlayerStop }[verb];
      const wanted = { pause: ['start'], resume: ['pause'], stop: ['start', 'pause'] }[verb];
      return [
        group(
          'Schedules',
          (verb === 'stop' ? [] : found.schedules.filter(({ enabled }) => enabled === (verb === 'pause'))).map(
            ({ id, name, skript }) => ({
              id: `schedule ${id}`,
              label: `${word} ${name}`,
              description: skript.name,
              Icon,
              go: enable(id, name, verb === 'resume'),
            }),
          ),
        ),
        group(
          'Runs',
          found.runs
            .filter(({ action }) => wanted.includes(action))
            .map(item => ({
              id: `run ${item.id}`,
              label: `${word} ${item.skript.name}`,
              description: runFacts(item),
              Icon,
              go: control(verb, item.id, item.skript.name),
            })),
        ),
      ];
    }
  }
}
