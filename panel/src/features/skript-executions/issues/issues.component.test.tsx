import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import type { Execution, Issue, PlatformIssue } from '../../../api/entities.js';
import { useExecution } from '../../../api/requests/get-execution.js';
import { run } from '../../../test-run.js';
import { changes, listOf, press, type Served, sent, showScreen } from '../../../test-screen.js';
import { ExecutionsTable } from '../components/executions-table.js';
import { FailureCause } from '../components/failure-cause.js';
import { AllIssuesTable, IssuesTable } from './issues-table.js';

const LIST = 'GET /joint-api/issues/list';
const CHANGE = 'PUT /joint-api/issues/i';
const MESSAGE = "TypeError: Cannot read properties of null (reading 'price')";

const issue = (changed: Partial<Issue> = {}): Issue => ({
  id: 'i',
  skript: { id: 's', name: 'Books' },
  error_code: 'exception',
  message: MESSAGE,
  frame: 'parse (main.js:12:18)',
  status: 'open',
  runs: 1234,
  first_run_id: 'first',
  last_run_id: 'last',
  first_version: 'a'.repeat(64),
  first_version_number: 3,
  last_version: 'b'.repeat(64),
  last_version_number: 9,
  first_seen_at: '2026-01-01T00:00:00.000Z',
  last_seen_at: '2026-01-02T00:00:00.000Z',
  reopened_at: null,
  reopened_version: null,
  reopened_version_number: null,
  created_at: '2026-01-01T00:00:01.000Z',
  updated_at: '2026-01-02T00:00:01.000Z',
  ...changed,
});

const LINKS = {
  skript: (id: string) => `/skripts/${id}`,
  version: (id: string, hash: string) => `/skripts/${id}?version=${hash}`,
  runs: (id: string) => `/runs?issue_id=${id}`,
  run: (id: string) => `/runs/${id}`,
};

const show = (served: Record<string, Served>, address = '/developer/skript-executions/issues') =>
  showScreen(<IssuesTable links={LINKS} />, { 'GET /joint-api/skripts/list': listOf(), ...served }, address);

const lists = () => sent.map(({ call }) => call).filter(call => call.startsWith(LIST));
const hrefs = () => screen.getAllByRole('link').map(link => [link.textContent, link.getAttribute('href')]);
const buttons = () =>
  screen.queryAllByRole('button', { name: /: TypeError/ }).map(button => button.getAttribute('aria-label'));

describe('the list of issues', () => {
  it('shows each open issue with its frame, and links to its latest run, skript, runs and version', async () => {
    show({ [LIST]: listOf(issue()) });
    expect(await screen.findByText(MESSAGE)).toBeTruthy();
    expect(screen.getByText('parse (main.js:12:18)').className).toContain('mono');
    expect(hrefs()).toEqual([
      [MESSAGE, '/runs/last'],
      ['Books', '/skripts/s'],
      ['1,234 runs', '/runs?issue_id=i'],
      ['version 3', `/skripts/s?version=${'a'.repeat(64)}`],
    ]);
    expect(screen.queryByText(/came back/)).toBeNull();
    expect(screen.queryByRole('columnheader', { name: 'Status' })).toBeNull();
    expect(lists()[0]).toMatch(/sort=-last_seen_at.*status=open/);
  });

  it('shows the meaning of the error code if the error has no text, and the code if it has no frame', async () => {
    show({ [LIST]: listOf(issue({ message: '', frame: null, error_code: 'memory_limit', first_version: null })) });
    expect(await screen.findByText('The run exceeded its memory limit.')).toBeTruthy();
    expect(screen.getByText('memory_limit')).toBeTruthy();
  });

  it('says with which version a resolved issue came back', async () => {
    show({
      [LIST]: listOf(
        issue({
          reopened_at: '2026-01-02T00:00:00.000Z',
          reopened_version: 'c'.repeat(64),
          reopened_version_number: 14,
        }),
        issue({ id: 'solved', status: 'resolved', reopened_at: '2026-01-02T00:00:00.000Z' }),
      ),
    });
    expect((await screen.findByText(/came back/)).textContent).toBe('came back in version 14');
    expect(hrefs()).toContainEqual(['version 14', `/skripts/s?version=${'c'.repeat(64)}`]);
  });

  it('shows skeletons while it is loading', () => {
    show({ [LIST]: () => new Promise(() => {}) });
    expect(screen.getByRole('region', { name: 'Issues' }).getAttribute('aria-busy')).toBe('true');
    expect(document.querySelectorAll('tbody .mantine-Skeleton-root').length).toBeGreaterThan(0);
  });

  it('says why it could not be loaded, and tries again', async () => {
    let isDown = true;
    show({
      [LIST]: () =>
        isDown
          ? { status: 503, body: { error_code: 'service_unavailable', error_message: 'The database is down.' } }
          : listOf(issue()),
    });
    expect(await screen.findByText('The issues could not be loaded')).toBeTruthy();
    expect(screen.getByText('The database is down.')).toBeTruthy();
    isDown = false;
    await press('Try again');
    expect(await screen.findByText(MESSAGE)).toBeTruthy();
  });

  it.each([
    ['', 'No open issues'],
    ['?status=all', 'No issues yet'],
  ])('says what appears here while it is empty, with the address %j', async (search, title) => {
    show({ [LIST]: listOf() }, `/developer/skript-executions/issues${search}`);
    expect(await screen.findByRole('heading', { name: title })).toBeTruthy();
    expect(screen.getByText(/Runs that fail in the same way appear here as one issue/)).toBeTruthy();
  });

  it('clears its filters if no issue matches them', async () => {
    show(
      { [LIST]: ({ call }) => (call.includes('status=muted') ? listOf() : listOf(issue())) },
      '/developer/skript-executions/issues?status=muted',
    );
    expect(await screen.findByText('No matching issues')).toBeTruthy();
    await press('Clear filters');
    expect(await screen.findByText(MESSAGE)).toBeTruthy();
  });

  it('asks for the issues of all statuses if you choose so', async () => {
    show({ [LIST]: listOf(issue()) });
    await screen.findByText(MESSAGE);
    await act(async () => fireEvent.click(screen.getByRole('combobox', { name: 'Status' })));
    await act(async () => fireEvent.click(screen.getByRole('option', { name: 'All statuses' })));
    await waitFor(() => expect(lists().at(-1)).not.toContain('status='));
  });

  it('names an invalid status in its address', async () => {
    const details = [{ field: 'status', message: 'status must be one of open, muted, resolved' }];
    show(
      { [LIST]: { status: 400, body: { error_code: 'validation_failed', error_message: 'No.', details } } },
      '/developer/skript-executions/issues?status=gone',
    );
    expect(await screen.findByText('The filter “Status” cannot be used')).toBeTruthy();
  });
});

describe('the buttons of an issue', () => {
  it.each([
    ['open', ['Resolve', 'Mute']],
    ['muted', ['Resolve', 'Open again']],
    ['resolved', ['Open again']],
  ] as const)('while its status is %s are %j', async (status, expected) => {
    show({ [LIST]: listOf(issue({ status })) });
    await screen.findByText(MESSAGE);
    expect(buttons()).toEqual(expected.map(label => `${label}: ${MESSAGE}`));
  });

  it.each([
    ['Resolve', 'open', 'resolved', /The next failure opens it again/],
    ['Mute', 'open', 'muted', /It counts further failures and stays muted/],
    ['Open again', 'resolved', 'open', /The issue is open again/],
  ] as const)('change its status: %s', async (label, before, after, message) => {
    let status: Issue['status'] = before;
    show(
      {
        [LIST]: ({ call }) => (call.includes(`status=${status}`) ? listOf(issue({ status })) : listOf()),
        [CHANGE]: () => {
          status = after;
          return { body: issue({ status }) };
        },
      },
      `/developer/skript-executions/issues?status=${before}`,
    );
    await press(`${label}: ${MESSAGE}`);
    expect(await screen.findByText(message)).toBeTruthy();
    expect(changes()).toMatchObject([{ call: CHANGE, body: { status: after } }]);
    await waitFor(() => expect(buttons()).toEqual([]));
  });

  it('say why the status could not be changed', async () => {
    show({
      [LIST]: listOf(issue()),
      [CHANGE]: { status: 404, body: { error_code: 'not_found', error_message: 'There is no such issue.' } },
    });
    await press(`Mute: ${MESSAGE}`);
    expect(await screen.findByText('There is no such issue.')).toBeTruthy();
  });
});

it('the list of the issues of all accounts names their owners, and has neither links nor buttons', async () => {
  const owned: PlatformIssue = { ...issue(), owner: { id: 'u', username: 'ada@example.com' } };
  const call = 'GET /joint-api/issues/list-all';
  showScreen(
    <AllIssuesTable />,
    { [call]: listOf(owned), 'GET /joint-api/users/list': listOf() },
    '/admin/all-runs/issues?user_id=u&status=all',
  );
  expect(await screen.findByText('ada@example.com')).toBeTruthy();
  expect([screen.queryAllByRole('link'), buttons()]).toEqual([[], []]);
  const asked = sent.map(({ call }) => call).filter(one => one.startsWith(call));
  expect(asked[0]).toContain('user_id=u');
  expect(asked[0]).not.toContain('status=');
});

it('the list of runs shows the runs of one issue until the filter is removed', async () => {
  const list = 'GET /joint-api/skript-execution/list';
  showScreen(
    <ExecutionsTable executeHref="/execute" />,
    { [list]: listOf(run({ action: 'error' })) },
    '/developer/skript-executions?issue_id=i',
  );
  const asked = () => sent.map(({ call }) => call).filter(call => call.startsWith(list));
  await screen.findByLabelText(/Select the run of Books/);
  expect(asked().at(-1)).toContain('issue_id=i');
  await press('Runs of one issue: show all');
  await waitFor(() => expect(asked().at(-1)).not.toContain('issue_id'));
});

describe('the cause of a failed run', () => {
  const GOOD = run({ id: 'good', action: 'end', bundle_hash: 'b'.repeat(64), version_number: 2 });
  const show = (issue_id: string | null, lastGood: Execution | null, failed = 'a'.repeat(64)) =>
    showScreen(
      <FailureCause
        execution={run({ action: 'error', error_code: 'exception', issue_id, bundle_hash: failed })}
        lastGood={lastGood}
        links={{
          issue: '/runs?issue_id=i',
          run: id => `/runs/${id}`,
          version: hash => `/version/${hash.slice(0, 1)}`,
          comparison: (from, to) => `/compare/${from.slice(0, 1)}${to.slice(0, 1)}`,
        }}
      />,
      { 'GET /joint-api/issues/i': { body: issue({ runs: 12, first_version: 'a'.repeat(64) }) } },
    );
  const texts = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent);

  it('is the version that began it, with the changes since the last good run one click away', async () => {
    show('i', GOOD);
    await screen.findByText('12 runs');
    expect(texts()[0]).toMatch(/^Began with version 3, .* 12 runs failed in this way\.$/);
    expect(texts()[1]).toMatch(/^The last good run was .*, with version 2\. See what changed$/);
    expect(hrefs()).toEqual([
      ['version 3', '/version/a'],
      ['12 runs', '/runs?issue_id=i'],
      ['last good run', '/runs/good'],
      ['version 2', '/version/b'],
      ['See what changed', '/compare/ba'],
    ]);
  });

  it('is outside the skript if the last good run had the same version', async () => {
    show('i', GOOD, 'b'.repeat(64));
    await screen.findByText('12 runs');
    expect(texts()[1]).toMatch(/with the same version: its input or the website may have changed\.$/);
  });

  it('is not shown without an issue and a good run before', () => {
    show(null, null);
    expect([texts(), sent]).toEqual([[], []]);
  });
});

describe('the page of a failed run', () => {
  it('is read again until an issue has counted the failure', async () => {
    let issue_id: string | null = null;
    const IssueId = () => useExecution('first').data?.issue_id;
    showScreen(<IssueId />, {
      'GET /joint-api/skript-execution/first': () => {
        const body = run({ action: 'error', issue_id, updated_at: new Date().toISOString() });
        issue_id = 'counted';
        return { body };
      },
    });
    expect(await screen.findByText('counted')).toBeTruthy();
  });
});
