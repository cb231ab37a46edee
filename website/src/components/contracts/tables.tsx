import useBrokenLinks from '@docusaurus/useBrokenLinks';
import {
  ACTION_WORDS,
  API_ERROR_WORDS,
  ECHO_WORDS,
  ENVIRONMENT_WORDS,
  RUN_ERROR_REMEDIES,
  SANDBOX_LAYER_WORDS,
  SANDBOX_WORDS,
  STORAGE_ERROR_WORDS,
  WAITING_WORDS,
  WORKER_STATUS_WORDS,
} from '@site/content/contract-words';
import {
  LIMIT_SETTING_WORDS,
  LIMIT_WORDS,
  QUOTA_CONSEQUENCES,
  QUOTA_WORDS,
  SHARE_WORDS,
} from '@site/content/limit-words';
import {
  ACTIONS,
  API_ERRORS,
  type ApiErrorCode,
  BUILT_IN_LIBRARIES,
  ECHO_TYPES,
  ENVIRONMENTS,
  EVENT_TYPES,
  EVENTS,
  FIRE_REASONS,
  type FireReason,
  isByteQuota,
  LIMIT_SETTINGS,
  LIMITS,
  type LimitSetting,
  QUOTA_NAMES,
  QUOTAS,
  type QuotaName,
  RUN_ERRORS,
  type RunErrorCode,
  SANDBOX_LAYERS,
  SANDBOX_LEVELS,
  SHARES,
  type ShareName,
  STORAGE_ERRORS,
  STORAGE_METHODS,
  WAITING_REASONS,
  WORKER_STATUSES,
} from '@trawl/contracts';
import { Fragment, type ReactNode } from 'react';
import { ScrollTable } from '../docs/scroll-table';
import { TableHead } from '../docs/table-head';
import { formatLimit } from './format-limit';

interface Row {
  id?: string;
  cells: ReactNode[];
}

function Table({ head, rows }: { head: string[]; rows: Row[] }) {
  const brokenLinks = useBrokenLinks();
  for (const { id } of rows) if (id) brokenLinks.collectAnchor(id);
  return (
    <ScrollTable>
      <TableHead columns={head} />
      <tbody>
        {rows.map((row, index) => (
          <tr key={row.id ?? index} id={row.id}>
            {row.cells.map((cell, column) => (
              <td key={head[column]} data-label={head.length > 2 ? head[column] : undefined}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

const named = (name: string): ReactNode => <code>{name}</code>;

export const Actions = () => (
  <Table
    head={['action', 'Kind', 'Meaning']}
    rows={ACTIONS.map(action => ({
      id: `action-${action}`,
      cells: [named(action), ACTION_WORDS[action].kind, ACTION_WORDS[action].meaning],
    }))}
  />
);

export const WaitingReasons = () => (
  <Table
    head={['reason', 'Meaning', 'What to do']}
    rows={WAITING_REASONS.map(reason => ({
      id: `waiting-${reason}`,
      cells: [named(reason), WAITING_WORDS[reason].meaning, WAITING_WORDS[reason].remedy],
    }))}
  />
);

export const RunErrors = () => (
  <Table
    head={['error_code', 'What happened', 'What to do']}
    rows={(Object.keys(RUN_ERRORS) as RunErrorCode[]).map(code => ({
      id: `error-${code}`,
      cells: [named(code), RUN_ERRORS[code], RUN_ERROR_REMEDIES[code]],
    }))}
  />
);

export const ApiErrors = () => (
  <Table
    head={['error_code', 'What happened', 'What to do']}
    rows={(Object.keys(API_ERRORS) as ApiErrorCode[]).map(code => ({
      id: `error-${code}`,
      cells: [
        // Show the status below the code, because a column of its own would leave less space for the text.
        <Fragment key={code}>
          {named(code)}
          <br />
          status {API_ERRORS[code]}
        </Fragment>,
        API_ERROR_WORDS[code].meaning,
        API_ERROR_WORDS[code].remedy,
      ],
    }))}
  />
);

export const EchoTypes = () => (
  <Table head={['type', 'What it is']} rows={ECHO_TYPES.map(type => ({ cells: [named(type), ECHO_WORDS[type]] }))} />
);

export const Environments = () => (
  <Table
    head={['environment', 'What it is', 'In this version']}
    rows={ENVIRONMENTS.map(name => ({
      cells: [named(name), ENVIRONMENT_WORDS[name].meaning, ENVIRONMENT_WORDS[name].here ? 'yes' : 'no'],
    }))}
  />
);

export const WorkerStatuses = () => (
  <Table
    head={['status', 'Meaning']}
    rows={WORKER_STATUSES.map(status => ({ cells: [named(status), WORKER_STATUS_WORDS[status]] }))}
  />
);

export const SandboxLevels = () => (
  <Table
    head={['sandbox', 'Isolation of a run from the worker']}
    rows={SANDBOX_LEVELS.map(level => ({ cells: [named(level), SANDBOX_WORDS[level]] }))}
  />
);

export const SandboxLayers = () => (
  <Table
    head={['Layer', 'What it is', 'How to enable it']}
    rows={SANDBOX_LAYERS.map(layer => ({
      cells: [named(layer), SANDBOX_LAYER_WORDS[layer].meaning, SANDBOX_LAYER_WORDS[layer].remedy],
    }))}
  />
);

export const StorageErrors = () => (
  <Table
    head={['code', 'What happened']}
    rows={STORAGE_ERRORS.map(code => ({ cells: [named(code), STORAGE_ERROR_WORDS[code]] }))}
  />
);

export const Events = () => (
  <Table
    head={['Event', 'When']}
    rows={EVENT_TYPES.map(type => ({ id: `event-${type}`, cells: [named(type), EVENTS[type]] }))}
  />
);

export const FireReasons = () => (
  <Table
    head={['reason_code', 'Why the fire started no run']}
    rows={(Object.keys(FIRE_REASONS) as FireReason[]).map(code => ({ cells: [named(code), FIRE_REASONS[code]] }))}
  />
);

const list = (names: readonly string[]) =>
  names.map((name, index) => (
    <Fragment key={name}>
      {index > 0 && ', '}
      {named(name)}
    </Fragment>
  ));

export const BuiltInLibraries = () => <>{list(BUILT_IN_LIBRARIES)}</>;

/** List of the storage methods, without `next` and `close`: skripts do not call these, but cursors do. */
export const StorageMethods = () => (
  <>{list(STORAGE_METHODS.filter(name => !['next', 'close', 'upsertRows'].includes(name)))}</>
);

export const Limits = ({ only }: { only?: (keyof typeof LIMIT_WORDS)[] }) => (
  <Table
    head={['What', 'At most', 'Above the limit']}
    rows={(Object.keys(LIMIT_WORDS) as (keyof typeof LIMIT_WORDS)[])
      .filter(name => !only || only.includes(name))
      .map(name => ({ cells: [LIMIT_WORDS[name]?.what, formatLimit(name, LIMITS[name]), LIMIT_WORDS[name]?.beyond] }))}
  />
);

const formatQuota = (name: QuotaName): string =>
  isByteQuota(name) ? `${QUOTAS[name] / 1024 / 1024} MiB` : QUOTAS[name].toLocaleString('en-GB');

export const Quotas = () => (
  <Table
    head={['Quota', 'What', 'By default']}
    rows={QUOTA_NAMES.map(name => ({ cells: [<code key={name}>{name}</code>, QUOTA_WORDS[name], formatQuota(name)] }))}
  />
);

/** Quotas for operators, with their settings. */
export const QuotaSettings = () => (
  <Table
    head={['Quota', 'By default', 'Setting', 'Above it']}
    rows={QUOTA_NAMES.map(name => ({
      cells: [
        QUOTA_WORDS[name],
        formatQuota(name),
        named(`TRAWL_QUOTA_${name.toUpperCase()}`),
        QUOTA_CONSEQUENCES[name],
      ],
    }))}
  />
);

/** Shares of a backend that one account can use at a time. */
export const Shares = () => (
  <Table
    head={['What', 'At a time', 'Above it']}
    rows={(Object.keys(SHARES) as ShareName[]).map(name => ({
      cells: [SHARE_WORDS[name].what, SHARES[name].toLocaleString('en-GB'), SHARE_WORDS[name].beyond],
    }))}
  />
);

/** One of the shares of a backend, as a number. */
export const Share = ({ of }: { of: ShareName }) => <>{SHARES[of].toLocaleString('en-GB')}</>;

/** Settings that limit accounts, besides those of quotas. */
export const LimitSettings = () => (
  <Table
    head={['Setting', 'What', 'By default', 'Above it']}
    rows={(Object.keys(LIMIT_SETTINGS) as LimitSetting[]).map(name => ({
      cells: [
        named(name),
        LIMIT_SETTING_WORDS[name].what,
        LIMIT_SETTINGS[name].toLocaleString('en-GB'),
        LIMIT_SETTING_WORDS[name].beyond,
      ],
    }))}
  />
);

interface RangeProps {
  which: 'min' | 'max' | 'default';
}

/** One number of the range of `time_limit_ms`, in ms. */
export const TimeLimit = ({ which }: RangeProps) => <>{LIMITS.timeLimitMs[which].toLocaleString('en-GB')}</>;

/** One number of the range of `worker_response_timeout`, in ms. */
export const ResponseTimeout = ({ which }: RangeProps) => (
  <>{LIMITS.workerResponseTimeoutMs[which].toLocaleString('en-GB')}</>
);
