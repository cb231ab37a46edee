import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import type { Execution } from '../../api/entities.js';
import { RunDuration } from '../../components/runs/run-duration.js';
import { run } from '../../test-run.js';
import { changes, fill, listOf, onPhone, press, sent, showScreen } from '../../test-screen.js';
import { Attempts } from './components/attempts.js';
import { ExecutionsTable } from './components/executions-table.js';
import { RunComparison } from './components/run-comparison.js';
import { RunControls } from './components/run-controls.js';
import { RunOutput } from './components/run-output.js';

const buttons = () => screen.queryAllByRole('button').map(button => button.textContent);

describe('the buttons of a run', () => {
  it.each([
    ['start', ['Pause', 'Stop']],
    ['pause', ['Resume', 'Stop']],
    ['end', []],
    ['error', []],
    ['stop', []],
  ] as const)('while its action is %s are %j', (action, expected) => {
    showScreen(<RunControls execution={run({ action })} />, {});
    expect(buttons()).toEqual(expected);
  });

  it('send their call for this run only', async () => {
    const call = 'POST /joint-api/skript-execution/first/pause';
    showScreen(<RunControls execution={run()} />, { [call]: { body: [] } });
    await press('Pause Books');
    expect(sent).toMatchObject([{ call }]);
  });

  it('show why a run could not be paused', async () => {
    const error_message = 'The worker cannot pause: it has no /proc.';
    showScreen(<RunControls execution={run()} />, {
      'POST /joint-api/skript-execution/first/pause': { status: 422, body: { error_message } },
    });
    await press('Pause Books');
    expect(await screen.findByText(error_message)).toBeTruthy();
  });
});

it('the list of runs deletes the selected runs with one call, and names those that could not be deleted', async () => {
  const call = 'POST /joint-api/skript-execution/delete-many';
  showScreen(<ExecutionsTable executeHref="/execute" />, {
    'GET /joint-api/skript-execution/list': listOf(run({ id: 'one', action: 'end' }), run({ id: 'two' })),
    [call]: { body: { deleted: { skript_executions: 1, echo_chunks: 4 }, more: false, kept: ['two'] } },
  });
  await screen.findAllByLabelText(/Select the run of Books at \d+ \w+ \d{4} \d\d:\d\d:\d\d/);
  await act(async () => fireEvent.click(screen.getByLabelText('Select all rows of this page')));
  await press('Delete…');
  expect(changes()).toEqual([]);
  await press('Delete');
  expect(changes()).toEqual([]);
  await fill('Type delete 2 to confirm', 'delete 2');
  await press('Delete');
  expect(await screen.findByText('1 run deleted.')).toBeTruthy();
  expect(await screen.findByText('1 run of 2 could not be deleted')).toBeTruthy();
  expect(screen.getByText(/or one of its retries is live/)).toBeTruthy();
  expect(changes()).toMatchObject([{ call, body: { ids: ['one', 'two'] } }]);
});

it('the list of runs leads from two selected runs of a skript to their comparison', async () => {
  const show = (runs: ReturnType<typeof run>[]) =>
    showScreen(<ExecutionsTable executeHref="/execute" />, {
      'GET /joint-api/skript-execution/list': listOf(...runs),
    });
  const select = async () => {
    await screen.findAllByLabelText(/Select the run of/);
    await act(async () => fireEvent.click(screen.getByLabelText('Select all rows of this page')));
    await screen.findByText(/runs selected/);
  };
  show([run({ id: 'two' }), run({ id: 'one' })]);
  await select();
  expect(screen.getByRole('link', { name: 'Compare' }).getAttribute('href')).toBe(
    '/developer/skript-executions/compare?one=two&other=one',
  );
  cleanup();
  show([run({ id: 'two' }), run({ id: 'one', skript: { id: 'other', name: 'Maps', category: 'general' } })]);
  await select();
  expect(screen.queryByRole('link', { name: 'Compare' })).toBeNull();
});

it('the list of runs stops the selected runs that are live, and leaves the others selected', async () => {
  const stop = 'POST /joint-api/skript-execution/two/stop';
  showScreen(<ExecutionsTable executeHref="/execute" />, {
    'GET /joint-api/skript-execution/list': listOf(run({ id: 'one', action: 'end' }), run({ id: 'two' })),
    [stop]: { status: 409, body: { error_message: 'The run has just ended.' } },
  });
  await screen.findAllByLabelText(/Select the run of Books/);
  await act(async () => fireEvent.click(screen.getByLabelText('Select all rows of this page')));
  await press('Stop (1)');
  expect(await screen.findByText('The run has just ended.')).toBeTruthy();
  expect(changes().map(({ call }) => call)).toEqual([stop]);
  expect(screen.getByText('1 run selected')).toBeTruthy();
});

it('the list of runs shows the main facts of a run on a phone, and the others when its row is opened', () =>
  onPhone(async () => {
    const worker = { id: 'w', name: 'paris-1' };
    showScreen(<ExecutionsTable executeHref="/execute" />, {
      'GET /joint-api/skript-execution/list': listOf(run({ action: 'error', error_code: 'memory_limit', worker })),
    });
    const cells = () => [...document.querySelectorAll('tbody td[data-label]')].map(cell => cell.textContent);
    await waitFor(() => expect(cells()).toContain('failed'));
    expect(cells()).toContain('memory_limit');
    expect(cells()).not.toContain('paris-1');
    await press('Show all of this row');
    expect(cells()).toContain('paris-1');
  }));

it('the list of runs shows the worst finding on the rows of a run until they are accepted, and filters by verdict', async () => {
  const text = 'price was filled in 98 % of rows, now in 41 %.';
  const finding = {
    level: 'broken',
    target: 'dataset',
    field: 'price',
    what: 'filled',
    was: 1,
    now: 0,
    text,
    rows: [],
  };
  const verdict = { level: 'broken', reason: null, findings: [finding] } as Execution['verdict'];
  const accepted = { ...verdict, accepted_at: '2026-01-01T00:00:00.000Z' } as Execution['verdict'];
  showScreen(
    <ExecutionsTable executeHref="/execute" />,
    {
      'GET /joint-api/skript-execution/list': listOf(
        run({ id: 'one', action: 'end', verdict }),
        run({ id: 'two', action: 'end', verdict: accepted }),
      ),
    },
    '/developer/skript-executions?verdict=broken',
  );
  const link = await screen.findByRole('link', { name: 'rows broken' });
  expect(link.getAttribute('href')).toBe('/developer/skript-executions/one');
  expect(screen.getAllByText(text)).toHaveLength(1);
  expect(sent.map(({ call }) => call).join()).toMatch(/execution\/list\?\S*verdict=broken/);
});

it('the list of runs hides its filters on a phone behind a button that counts those that are set', () =>
  onPhone(async () => {
    showScreen(
      <ExecutionsTable executeHref="/execute" />,
      { 'GET /joint-api/skript-execution/list': listOf(run({ action: 'end' })) },
      '/developer/skript-executions?action=end&from=2026-01-01',
    );
    const from = () => screen.queryByLabelText('From') as HTMLInputElement | null;
    expect(from()).toBeNull();
    await press('Filters (2 set)');
    expect(from()?.value).toBe('2026-01-01');
  }));

const refused = (...details: { field: string; message: string }[]) => ({
  status: 400,
  body: { error_code: 'validation_failed', error_message: details.map(({ message }) => message).join('; '), details },
});
const isOffered = (name: string) => screen.queryByRole('button', { name }) !== null;

it('the list of runs names invalid filters and sort orders of its address, and removes them on a click', async () => {
  showScreen(
    <ExecutionsTable executeHref="/execute" />,
    {
      'GET /joint-api/skript-execution/list': ({ call }) =>
        call.includes('worker_id')
          ? refused(
              { field: 'worker_id', message: 'worker_id must be a UUID' },
              { field: 'action', message: 'action must be one of start, pause, stop, end, error' },
            )
          : call.includes('sort=nope')
            ? refused({ field: 'sort', message: 'unknown field nope' })
            : listOf(run({ id: 'one' })),
    },
    '/developer/skript-executions?worker_id=nobody&action=nothing&sort=nope&from=2026-01-01',
  );
  expect(await screen.findByText('The filters “Worker” and “Status” cannot be used')).toBeTruthy();
  expect(screen.getByText(/“nobody” is not a possible value of Worker/)).toBeTruthy();
  expect([screen.queryByText(/UUID/), isOffered('Use the default order')]).toEqual([null, false]);
  await press('Remove these filters');
  expect(await screen.findByText('This list has no such order')).toBeTruthy();
  expect(screen.queryByText(/filter/)).toBeNull();
  await press('Use the default order');
  expect(await screen.findByLabelText(/Select the run of Books/)).toBeTruthy();
  await waitFor(() => expect(sent.map(({ call }) => call).join()).toMatch(/sort=-created_at&created_from=/));
});

it('the list of runs shows the API’s message about any other error, and links to the whole list', async () => {
  showScreen(
    <ExecutionsTable executeHref="/execute" />,
    {
      'GET /joint-api/skript-execution/list': ({ call }) =>
        call.includes('schedule_id')
          ? { status: 404, body: { error_code: 'not_found', error_message: 'There is no such schedule.' } }
          : listOf(run({ id: 'one' })),
    },
    '/developer/skript-executions?schedule_id=gone',
  );
  expect(await screen.findByText('There is no such schedule.')).toBeTruthy();
  await act(async () => fireEvent.click(screen.getByRole('link', { name: 'Show the whole list' })));
  expect(await screen.findByLabelText(/Select the run of Books/)).toBeTruthy();
});

it('the list of runs offers the first and the last page when its address names a page after the last', async () => {
  const items = [run({ id: 'one' })];
  showScreen(
    <ExecutionsTable executeHref="/execute" />,
    {
      'GET /joint-api/skript-execution/list': ({ call }) => ({
        body: { total: 26, limit: 25, skip: 0, items: call.includes('skip=100') ? [] : items },
      }),
    },
    '/developer/skript-executions?page=5',
  );
  expect(await screen.findByText('This list has no page 5')).toBeTruthy();
  expect(isOffered('First page')).toBe(true);
  await press('Last page');
  expect(await screen.findByLabelText(/Select the run of Books/)).toBeTruthy();
  await waitFor(() => expect(sent.map(({ call }) => call).join()).toMatch(/execution\/list\?\S*skip=25/));
});

describe('the list of a run’s attempts', () => {
  const FIRST = run({ action: 'error', error_code: 'exception' });
  const SECOND = run({
    id: 'second',
    attempt: 2,
    retry_of: 'first',
    waiting_for: { reason: 'retry_scheduled', since: FIRST.updated_at, until: '2026-01-01T00:01:00.000Z' },
  });
  const show = (execution: Execution, ...later: Execution[]) =>
    showScreen(<Attempts execution={execution} executionHref={id => `/runs/${id}`} />, {
      'GET /joint-api/skript-execution/first': { body: FIRST },
      'GET /joint-api/skript-execution/list': listOf(...later),
    });

  it('links to the other attempts, and shows when the next one starts', async () => {
    show(SECOND, SECOND);
    expect(await screen.findByRole('heading', { name: '2 attempts' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Attempt 1' }).getAttribute('href')).toBe('/runs/first');
    expect(screen.queryByRole('link', { name: 'Attempt 2' })).toBeNull();
    expect(screen.getByText(/the next attempt starts at/)).toBeTruthy();
    expect(sent.map(({ call }) => call).join()).toContain('retry_of=first');
  });

  it('is hidden for a run without retries', async () => {
    show(FIRST);
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(screen.queryByRole('region', { name: 'Attempts' })).toBeNull();
  });
});

it('the comparison of two runs shows the rows that differ, and equal ones on request', async () => {
  const other = run({ id: 'other', action: 'error', error_code: 'exception', rows: 12 });
  showScreen(<RunComparison one={run({ action: 'end' })} other={other} executionHref={id => `/runs/${id}`} />, {});
  const rows = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent);
  expect(rows()).toEqual(['Status (differs)', 'Error (differs)', 'Dataset rows (differs)']);
  expect(screen.getAllByRole('link', { name: 'Books' }).map(link => link.getAttribute('href'))).toEqual([
    '/runs/first',
    '/runs/other',
  ]);
  await press('Show 8 equal rows');
  expect(rows()).toHaveLength(11);
});

describe('a run', () => {
  it.each([
    ['start', '1 min 7 s'],
    ['pause', '–'],
  ] as const)('counts the duration of a run with the action %s: %s', (action, shown) => {
    jest.useFakeTimers({ now: Date.parse('2026-01-01T00:01:08.500Z') });
    try {
      showScreen(<RunDuration run={run({ action, started_at: '2026-01-01T00:00:03.000Z' })} />, {});
      act(() => jest.advanceTimersByTime(2_000));
      expect(screen.getByText(shown)).toBeTruthy();
    } finally {
      jest.useRealTimers();
    }
  });

  it('says that the output is loading until it has arrived', () => {
    showScreen(<RunOutput execution={run({ action: 'end' })} />, {});
    expect(screen.getByRole('region', { name: 'Output' }).textContent).toBe('OutputLoading the output…');
  });
});
