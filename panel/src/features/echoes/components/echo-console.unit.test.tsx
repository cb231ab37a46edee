/** @jest-environment ./panel/jest-environment.cjs */
import { render, screen } from '@testing-library/react';
import { consoleLines } from '../echo-buffer.js';
import { EchoConsole } from './echo-console.js';

const echo = (seq: number) => ({
  type: 'log' as const,
  msg: `line ${seq}`,
  time: '2026-01-01T00:00:00.000Z',
  seq,
});

// Only lines in sight are drawn, and in jsdom, which lays nothing out, nothing is.
beforeEach(() => {
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400);
});
afterEach(() => jest.restoreAllMocks());

const shown = (...seqs: number[]) => {
  render(<EchoConsole lines={consoleLines(seqs.map(echo))} follow={false} emptyText="Nothing." />);
  return [...screen.getByRole('region').querySelectorAll('.console-row')].map(row => row.textContent);
};

describe('the console', () => {
  it('says which echo is missing, when it is only one', () => {
    const [, gap, next] = shown(1, 3);
    expect(gap).toBe('Echo 2 is not in this view. The saved echoes have it.');
    expect(next).toContain('line 3');
  });

  it('says how many echoes are missing and which, when they are several', () => {
    const [gap] = shown(502, 503);
    expect(gap).toBe('501 echoes (1–501) are not in this view. The saved echoes have them.');
  });
});
