import { screen, waitFor } from '@testing-library/react';
import type { Execution } from '../../../api/entities.js';
import { run } from '../../../test-run.js';
import { changes, press, type Served, showScreen } from '../../../test-screen.js';
import { RunVerdict } from './run-verdict.js';

const ACCEPT = 'POST /joint-api/skript-execution/first/verdict/accept';
const FINDING = {
  level: 'broken' as const,
  target: 'dataset',
  field: 'price',
  what: 'filled' as const,
  was: 0.98,
  now: 0.41,
  text: 'price was filled in 98 % of rows, now in 41 %.',
  rows: [{ _id: 'x', _run: 'first', _at: '2026', title: 'Emma', price: '' }],
};
const BROKEN: Execution['verdict'] = { level: 'broken', reason: null, findings: [FINDING] };
const show = (verdict: Execution['verdict'], answer: { status?: number; body: unknown } = { body: BROKEN }) =>
  showScreen(<RunVerdict execution={run({ action: 'end', verdict })} />, { [ACCEPT]: answer });

const SELECTORS = 'GET /joint-api/skript-execution/first/selectors';
const showSelectors = (answer: Served) =>
  showScreen(<RunVerdict execution={run({ action: 'end', verdict: BROKEN })} />, { [SELECTORS]: answer });

describe('the verdict of a run', () => {
  it('shows each finding with the rows that show it, and accepts the rows', async () => {
    show(BROKEN);
    const verdict = await screen.findByRole('region', { name: 'Verdict' });
    expect(verdict.textContent).toContain('The rows are broken');
    // A number and its unit stay on one line.
    expect(verdict.textContent).toContain('price was filled in 98\u00a0% of rows, now in 41\u00a0%.');
    expect(verdict.textContent).toContain('Emma');
    expect(verdict.textContent).not.toContain('_run');
    await press('This is normal now');
    expect(await screen.findByText('The rows are accepted. Trawl compares later runs with this one.')).toBeTruthy();
    expect(changes().map(({ call }) => call)).toEqual([ACCEPT]);
    await waitFor(() => expect(document.activeElement?.textContent).toBe('The rows are broken'));
  });

  it('suggests selectors for a field that became empty, and copies one', async () => {
    const suggestions = {
      items: [
        { selector: '.amount', attribute: null, pages: 47, example: '£12.50' },
        { selector: '[itemprop="price"]', attribute: 'content', pages: 40, example: '12.50' },
      ],
      pages: 50,
      reason: null,
    };
    const copied: string[] = [];
    Object.assign(navigator, { clipboard: { writeText: async (text: string) => void copied.push(text) } });
    showSelectors({ body: suggestions });
    await press('Where did the value go? (price)');
    expect(await screen.findByText('The values are here now:')).toBeTruthy();
    expect(document.activeElement?.textContent).toContain('The values are here now:');
    const [first, second] = screen.getAllByText(/such as/).map(({ textContent }) => textContent);
    expect(first).toBe('on 47 of 50 pages, such as “£12.50”');
    expect(second).toBe('attribute content, on 40 of 50 pages, such as “12.50”');
    expect(screen.queryByRole('button', { name: 'Where did the value go? (price)' })).toBeNull();
    await press('Copy .amount');
    await waitFor(() => expect(copied).toEqual(['.amount']));
  });

  it('suggests selectors for rows that the run has not found, and copies one', async () => {
    const text = 'The dataset usually gets 60 rows and got 0.';
    const finding = { ...FINDING, field: null, what: 'rows' as const, was: 60, now: 0, text, rows: [] };
    const item = (selector: string, example: string) => ({ selector, attribute: null, pages: 3, example });
    const copied: string[] = [];
    Object.assign(navigator, { clipboard: { writeText: async (value: string) => void copied.push(value) } });
    const verdict = { ...BROKEN, findings: [finding, { ...finding, text: 'Too many rows.', was: 60, now: 90 }] };
    showScreen(<RunVerdict execution={run({ action: 'end', verdict })} />, {
      'GET /joint-api/skript-execution/first/row-selectors': {
        body: {
          row: { selector: '.tile', pages: 3, rows: 60 },
          fields: [
            { field: 'title', items: [item('h3', 'Emma'), item('.name', 'Emma')] },
            { field: 'price', items: [item('.amount', '£12.50')] },
          ],
          pages: 3,
          reason: null,
        },
      },
    });
    await press('Where did the rows go? (dataset)');
    expect(await screen.findByText('The rows are here now:')).toBeTruthy();
    expect(document.activeElement?.textContent).toContain('The rows are here now:');
    expect(screen.getAllByRole('term').map(({ textContent }) => textContent)).toEqual(['Each row', 'title', 'price']);
    expect(screen.getByText('60 on 3 of 3 pages')).toBeTruthy();
    await press('Copy .amount of price');
    await waitFor(() => expect(copied).toEqual(['.amount']));
  });

  it('says why there is no suggestion, and asks again after a failure', async () => {
    let isUp = false;
    showSelectors(() =>
      isUp
        ? { body: { items: [], pages: 0, reason: 'Trawl has kept no pages of this run.' } }
        : { status: 503, body: { error_message: 'The storage is down.' } },
    );
    await press('Where did the value go? (price)');
    expect(await screen.findByText(/The storage is down/)).toBeTruthy();
    isUp = true;
    await press('Try again');
    expect(await screen.findByText('Trawl has kept no pages of this run.')).toBeTruthy();
  });

  it('asks for no selectors if the field is filled, and only unusual', async () => {
    show({
      ...BROKEN,
      findings: [
        { ...FINDING, what: 'type' },
        { ...FINDING, level: 'unusual', target: 'mongodb:books' },
      ],
    });
    await screen.findByRole('region', { name: 'Verdict' });
    expect(screen.queryByText('Where did the value go?')).toBeNull();
  });

  it('says why the rows could not be accepted', async () => {
    show(BROKEN, { status: 404, body: { error_message: 'There is no such run.' } });
    await press('This is normal now');
    expect(await screen.findByText('The rows could not be accepted')).toBeTruthy();
  });

  it.each(['broken', 'new'] as const)('asks to accept rows that are held: %s', async level => {
    show({ level, reason: 'A verdict needs 3 runs.', findings: [], is_held: true });
    const verdict = await screen.findByRole('region', { name: 'Verdict' });
    expect(verdict.textContent).toContain('Exports leave out these rows until you accept them.');
    await press('Accept');
    expect(await screen.findByText('The rows are accepted. Trawl compares later runs with this one.')).toBeTruthy();
  });

  it('says when the rows were accepted, and then has no button', async () => {
    show({ level: 'unusual', reason: null, findings: [FINDING], accepted_at: '2026-01-02T00:00:00.000Z' });
    const verdict = await screen.findByRole('region', { name: 'Verdict' });
    expect(verdict.textContent).toContain('The rows are unusual');
    expect(verdict.textContent).toContain('You accepted them on');
    expect(screen.queryByRole('button', { name: 'This is normal now' })).toBeNull();
  });

  it.each([
    [
      { level: 'new', reason: 'A verdict needs 3 runs.', findings: [] },
      'not judged these rows. A verdict needs 3 runs.',
    ],
    [{ level: 'ok', reason: null, findings: [] }, 'These rows are as usual.'],
  ] as const)('is a note above the rows if nothing is wrong: %j', async ({ level, reason }, text) => {
    show({ level, reason, findings: [] });
    expect(await screen.findByText(new RegExp(text))).toBeTruthy();
  });
});
