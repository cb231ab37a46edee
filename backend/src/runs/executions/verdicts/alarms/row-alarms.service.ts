import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DueWork } from '../../../../platform/database/due-work.service.js';
import { type NotificationEvent, recordEvents } from '../../../../platform/notifications/record-events.js';
import type { ShownVerdict } from '../judgement/verdict.js';
import { type AlarmKey, ASKS_FOR_LOOK, type DueAlarm, RowAlarmsRepository } from './row-alarms.repository.js';

const BATCH = 100;

/** A run that has got its verdict. */
export interface JudgedRun extends AlarmKey {
  id: string;
  owner_id: string;
  skript_name: string;
  /** Whether its skript has a contract: then a run that could not be compared with others counts as right. */
  has_contract: boolean;
  verdict: ShownVerdict;
}

/** A run whose broken rows the owner has accepted. */
export interface AcceptedRun extends AlarmKey {
  owner_id: string;
  skript_name: string;
  ended_at: Date;
}

/**
 * Tells accounts when rows break or are too old, once a day while it lasts, and when they are right again. A row in
 * `row_alarms` is the state, so that several backends tell it once.
 */
@Injectable()
export class RowAlarms implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly repository: RowAlarmsRepository,
    private readonly dataSource: DataSource,
    private readonly dueWork: DueWork,
  ) {}

  onModuleInit(): void {
    this.dueWork.add('alarms about rows', {
      everyMs: 5_000,
      find: () => ASKS_FOR_LOOK,
      run: () => this.#tellDue(),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.repository.noteLook(this.dataSource);
  }

  /** Notes verdicts, in the transaction that saves them. @param runs the oldest first */
  async note(manager: EntityManager, runs: JudgedRun[]): Promise<void> {
    const told = runs.filter(({ verdict, has_contract }) => verdict.level !== 'new' || has_contract);
    const latest = [...new Map(told.map(run => [`${run.skript_id} ${run.input_key}`, run])).values()];
    const broken = latest.filter(isBroken).map(run => ({ run, runs: told.filter(other => isSame(other, run)).length }));
    const right = latest.filter(run => !isBroken(run));
    const events = [...(await this.#noteBroken(manager, broken)), ...(await this.#noteRight(manager, right))];
    await recordEvents(manager, events);
  }

  /**
   * Ends the alarm about broken rows without telling the owner, who has accepted them. The rows are as old as their run:
   * if that makes rows new again that were too old, tells it.
   */
  async accept(manager: EntityManager, run: AcceptedRun): Promise<void> {
    await this.repository.endBroken(manager, [run]);
    const fresh = await this.repository.refresh(manager, [run.skript_id], run.ended_at);
    if (fresh.length > 0) await recordEvents(manager, [freshEvent(run, 'right', {})]);
  }

  async #noteBroken(manager: EntityManager, broken: { run: JudgedRun; runs: number }[]): Promise<NotificationEvent[]> {
    if (broken.length === 0) return [];
    const begun = await this.repository.addBroken(
      manager,
      broken.map(({ run, runs }) => ({ ...keyOf(run), runs, data: eventOf(run, 'broken').data })),
    );
    return broken.filter(({ run }) => includes(begun, run)).map(({ run }) => eventOf(run, 'broken'));
  }

  async #noteRight(manager: EntityManager, right: JudgedRun[]): Promise<NotificationEvent[]> {
    if (right.length === 0) return [];
    const ended = await this.repository.endBroken(manager, right);
    const withContract = right.filter(({ has_contract }) => has_contract);
    const fresh =
      withContract.length === 0
        ? []
        : await this.repository.refresh(
            manager,
            withContract.map(({ skript_id }) => skript_id),
          );
    return [
      ...right.filter(run => includes(ended, run)).map(run => eventOf(run, 'right')),
      ...withContract.filter(run => fresh.includes(run.skript_id)).map(run => freshEvent(run, 'right', {})),
    ];
  }

  async #tellDue(): Promise<void> {
    await this.dataSource.transaction(async manager => {
      await this.repository.noteLook(manager);
      // All in one transaction, so that an account gets one e-mail about all of its alarms.
      let due: DueAlarm[];
      do {
        due = await this.repository.takeDue(manager, BATCH);
        await recordEvents(manager, due.flatMap(eventsOfDue));
      } while (due.length === BATCH);
    });
  }
}

const isBroken = ({ verdict }: JudgedRun): boolean => verdict.level === 'broken';
const keyOf = ({ skript_id, input_key }: AlarmKey): AlarmKey => ({ skript_id, input_key });
const includes = (keys: AlarmKey[], { skript_id, input_key }: AlarmKey): boolean =>
  keys.some(key => key.skript_id === skript_id && key.input_key === input_key);
const isSame = (one: JudgedRun, other: JudgedRun): boolean => isBroken(one) && includes([one], other);

/** The event that the rows broke with this run, or are right again. */
function eventOf(run: JudgedRun, state: 'broken' | 'right'): NotificationEvent {
  const data = {
    execution_id: run.id,
    skript: { id: run.skript_id, name: run.skript_name },
    state,
    findings: state === 'broken' ? run.verdict.findings.map(({ text }) => text) : [],
  };
  return { ownerId: run.owner_id, type: 'rows.broken', data };
}

function freshEvent(
  { owner_id, skript_id, skript_name }: Pick<DueAlarm, 'owner_id' | 'skript_id' | 'skript_name'>,
  state: 'old' | 'right',
  more: object,
): NotificationEvent {
  const data = { skript: { id: skript_id, name: skript_name }, state, ...more };
  return { ownerId: owner_id, type: 'rows.fresh', data };
}

/** The events of an alarm that is due: none for broken rows without a run since the last event. */
function eventsOfDue(alarm: DueAlarm): NotificationEvent[] {
  const since = alarm.told_at?.toISOString();
  if (alarm.kind === 'fresh') {
    const { fresh_hours } = alarm;
    return fresh_hours === null ? [] : [freshEvent(alarm, 'old', { fresh_hours, ...(since && { since }) })];
  }
  if (alarm.runs === 0 || alarm.data === null) return [];
  return [{ ownerId: alarm.owner_id, type: 'rows.broken', data: { ...alarm.data, since, runs: alarm.runs } }];
}
