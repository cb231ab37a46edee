import { screen, waitFor } from '@testing-library/react';
import type { Execution } from '../../../api/entities.js';
import { run } from '../../../test-run.js';
import { changes, press, showScreen } from '../../../test-screen.js';
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
  rows: [{ title: 'Emma', price: '' }],
};
const BROKEN: Execution['verdict'] = { level: 'broken', reason: null, findings: [FINDING] };
const show = (verdict: Execution['verdict'], answer: { status?: number; body: unknown } = { body: BROKEN }) =>
  showScreen(<RunVerdict execution={run({ action: 'end', verdict })} />, { [ACCEPT]: answer });

describe('the verdict of a run', () => {
  it('shows each finding with the rows that show it, and accepts the rows', async () => {
    show(BROKEN);
    const verdict = await screen.findByRole('region', { name: 'Verdict' });
    expect(verdict.textContent).toContain('The rows are broken');
    expect(verdict.textContent).toContain(FINDING.text);
    expect(verdict.textContent).toContain('Emma');
    await press('These rows are normal now');
    expect(await screen.findByText('The rows are accepted. Trawl compares later runs with this one.')).toBeTruthy();
    expect(changes().map(({ call }) => call)).toEqual([ACCEPT]);
    await waitFor(() => expect(document.activeElement?.textContent).toBe('The rows are broken'));
  });

  it('says why the rows could not be accepted', async () => {
    show(BROKEN, { status: 404, body: { error_message: 'There is no such run.' } });
    await press('These rows are normal now');
    expect(await screen.findByText('The rows could not be accepted')).toBeTruthy();
  });

  it('says when the rows were accepted, and then has no button', async () => {
    show({ level: 'unusual', reason: null, findings: [FINDING], accepted_at: '2026-01-02T00:00:00.000Z' });
    const verdict = await screen.findByRole('region', { name: 'Verdict' });
    expect(verdict.textContent).toContain('The rows are unusual');
    expect(verdict.textContent).toContain('You accepted them on');
    expect(screen.queryByRole('button', { name: 'These rows are normal now' })).toBeNull();
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
