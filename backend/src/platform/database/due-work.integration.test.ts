import { SchedulerRegistry } from '@nestjs/schedule';
import type { Pool } from 'pg';
import { type Logger, pino } from 'pino';
import { DataSource } from 'typeorm';
import { appForFile } from '../../../test/test-app.js';
import { LOGGER } from '../common/logger.js';
import { DueWork } from './due-work.service.js';

const { app } = appForFile();

/** Bootstraps a separate `DueWork`, without its timer. */
function dueWork(logger: Logger, add: (work: DueWork) => void): DueWork {
  const timers = new SchedulerRegistry();
  const work = new DueWork(app.part(DataSource), app.config, logger, timers);
  add(work);
  work.onApplicationBootstrap();
  timers.deleteInterval('due-work');
  return work;
}

it('one statement looks for due work of all kinds, and only the kinds that have work run', async () => {
  const ran: [string, unknown][] = [];
  const work = dueWork(app.part(LOGGER), due => {
    const kind = (name: string, find: (...parameters: string[]) => string, values: unknown[] = []) =>
      due.add<unknown>(name, { everyMs: 0, find, values: () => values, run: async found => ran.push([name, found]) });
    kind('nothing', () => 'false');
    kind('no row', () => 'SELECT 1 FROM users WHERE false');
    kind('two parameters', (a, b) => `${a}::int + ${b}::int = 7`, [3, 4]);
    kind('a value', text => `json_build_object('text', ${text}::text)`, ['x']);
  });
  const { master } = app.part(DataSource).driver as unknown as { master: Pool };
  const query = jest.spyOn(master, 'query');
  try {
    await work.look();
    const sent = query.mock.calls.map(([statement]) => (statement as unknown as { text: string }).text);
    expect(sent.filter(text => text.includes("'text'"))).toHaveLength(1);
  } finally {
    query.mockRestore();
  }
  expect(ran).toEqual([
    ['two parameters', true],
    ['a value', { text: 'x' }],
  ]);
});

it('due work of a kind is looked for only when the kind’s interval has passed', async () => {
  let runs = 0;
  const run = async () => {
    runs += 1;
  };
  const work = dueWork(app.part(LOGGER), due => due.add('rare', { everyMs: 3_600_000, find: () => 'true', run }));
  await work.look();
  await work.look();
  expect(runs).toBe(1);
});

it('due work that fails is logged, and does not delay other kinds', async () => {
  const lines: string[] = [];
  let runs = 0;
  const work = dueWork(pino({}, { write: (line: string) => lines.push(line) }), due => {
    due.add('broken', { everyMs: 0, find: () => 'true', run: () => Promise.reject(new Error('it broke')) });
    due.add('fine', {
      everyMs: 0,
      find: () => 'true',
      run: async () => {
        runs += 1;
      },
    });
  });
  await work.look();
  await work.look();
  expect(runs).toBe(2);
  expect(lines.map(line => JSON.parse(line))).toMatchObject([{ work: 'broken', err: { message: 'it broke' } }, {}]);
});
