/** @jest-environment ./scripts/jest/panel-environment.cjs */
import { render, screen } from '@testing-library/react';
import { consoleLines } from '../echo-buffer.js';
import { EchoConsole } from './echo-console.js';

const echo = (seq: number) => ({
  type: 'log' as const,
  msg: `line ${seq}`,
  time: '2026-01-01T00:00:00.000Z',
  seq,
});

// The virtualizer renders visible lines only, and jsdom has no layout.
beforeEach(() => {
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400);
});
afterEach(() => jest.restoreAllMocks());

const shown = (...seqs: number[]) => {
  render(<EchoConsole lines={consoleLines(seqs.map(echo))} follow={false} emptyText="Nothing." />);
  return [...screen.getByRole('region').querySelectorAll('.console-row')].map(row => row.textContent);
};

describe('the console', () => {
  it('names a single missing echo', () => {
    const [, gap, next] = shown(1, 3);
    expect(gap).toBe('Echo 2 is missing from this view. See the saved echoes.');
    expect(next).toContain('line 3');
  });

  it('shows echoes in reading order, and no more than 100 %', () => {
    const time = '2026-01-01T00:00:00.000Z';
    const echoes = [
      { type: 'log' as const, msg: 'main\u202egpj.js', time, seq: 1 },
      { type: 'progress' as const, msg: '12 of 10', time, seq: 2 },
    ];
    render(<EchoConsole lines={consoleLines(echoes)} follow={false} emptyText="Nothing." />);
    expect(screen.getByText('maingpj.js')).toBeDefined();
    expect(screen.getByText('100%')).toBeDefined();
  });

  it('draws progress as a bar and rows as a table, and other text of these types as it is', () => {
    const time = '2026-01-01T00:00:00.000Z';
    const echoes = [
      { type: 'progress' as const, msg: 'Pages: 3 of 12', time, seq: 1 },
      { type: 'table' as const, msg: 'title │ price\n──────┼──────\n<b>A  │ 12.5', time, seq: 2 },
      { type: 'progress' as const, msg: 'Books: 7', time, seq: 3 },
      { type: 'table' as const, msg: '(no rows)', time, seq: 4 },
    ];
    render(<EchoConsole lines={consoleLines(echoes)} follow={false} emptyText="Nothing." />);
    const bar = screen.getByRole('progressbar', { name: 'Pages' }) as HTMLProgressElement;
    expect([bar.value, bar.max, bar.parentElement?.textContent]).toEqual([3, 12, 'Pages: 3 of 1225%']);
    expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['title', 'price']);
    expect(screen.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual(['<b>A', '12.5']);
    for (const text of ['Books: 7', '(no rows)']) expect(screen.getByText(text)).toBeDefined();
  });

  it('counts several missing echoes and names them', () => {
    const [gap] = shown(502, 503);
    expect(gap).toBe('501 echoes (1–501) are missing from this view. See the saved echoes.');
  });
});
