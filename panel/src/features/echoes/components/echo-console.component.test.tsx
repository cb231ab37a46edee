import { MantineProvider } from '@mantine/core';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { press, sent, showScreen } from '../../../test-screen.js';
import { contentOf } from '../console-content.js';
import { consoleLines } from '../echo-buffer.js';
import { EchoConsole } from './echo-console.js';

const echo = (seq: number) => ({
  type: 'log' as const,
  msg: `line ${seq}`,
  time: '2026-01-01T00:00:00.000Z',
  seq,
});

const FOLLOWED = { executionId: 'r1', hold: () => {}, linesBefore: async () => [] };

// The virtualizer renders visible lines only, and jsdom has no layout.
beforeEach(() => {
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400);
  jest.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(25);
});
afterEach(() => jest.restoreAllMocks());

const shown = (...seqs: number[]) => {
  render(<EchoConsole content={contentOf(consoleLines(seqs.map(echo)))} emptyText="Nothing." />);
  return [...screen.getByRole('region').querySelectorAll('.console-row')].map(row => row.textContent);
};

describe('the console of echoes', () => {
  it('moves to an error that arrived while the user was reading earlier lines', async () => {
    const lines = (count: number) =>
      contentOf(consoleLines(Array.from({ length: count }, (_, index) => echo(index + 1))));
    const live = (count: number, shownSeq?: number) => (
      <MantineProvider env="test">
        <EchoConsole content={lines(count)} shownSeq={shownSeq} followed={FOLLOWED} emptyText="Nothing." />
      </MantineProvider>
    );
    const { rerender } = render(live(3, 2));
    const marked = () => document.querySelector('[data-shown]')?.textContent;
    expect(marked()).toContain('line 2');
    rerender(live(6, 2));
    expect(screen.queryByText('line 6')).toBeNull();
    rerender(live(6, 6));
    expect(marked()).toContain('line 6');
    await act(async () => new Promise<void>(resolve => requestAnimationFrame(() => resolve())));
  });

  it('keeps a line as it is when a new line moves it, and when the user scrolls up', async () => {
    const objekt = { ...echo(3), type: 'objekt' as const, msg: '{"price":12}' };
    const lines = (...seqs: number[]) => contentOf(consoleLines(seqs.map(seq => (seq === 3 ? objekt : echo(seq)))));
    const live = (content: ReturnType<typeof lines>) => (
      <MantineProvider env="test">
        <EchoConsole content={content} followed={FOLLOWED} emptyText="Nothing." />
      </MantineProvider>
    );
    const { rerender } = render(live(lines(1, 2, 3)));
    const toggle = screen.getByRole('log').querySelector<HTMLElement>('[aria-expanded]');
    await act(async () => fireEvent.click(toggle as HTMLElement));
    expect(toggle?.getAttribute('aria-expanded')).toBe('true');
    rerender(live(lines(3, 4, 5)));
    expect(toggle?.isConnected).toBe(true);
    const log = screen.getByRole('log');
    jest.spyOn(log, 'scrollHeight', 'get').mockReturnValue(5_000);
    await act(async () => fireEvent.scroll(log));
    expect(toggle?.isConnected).toBe(true);
  });

  it('shows the last of 10,000 lines in the same rows, although most lines are not on the page', () => {
    const live = (last: number) => (
      <MantineProvider env="test">
        <EchoConsole
          content={contentOf(consoleLines(Array.from({ length: 10_000 }, (_, n) => echo(last - 9_999 + n))), 100)}
          followed={FOLLOWED}
          emptyText="Nothing."
        />
      </MantineProvider>
    );
    jest.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(250_000);
    const { rerender } = render(live(10_000));
    const log = screen.getByRole('log');
    const rows = () => [...log.querySelectorAll('.console-row')];
    const first = rows();
    expect(first.at(-1)?.textContent).toContain('line 10000');
    rerender(live(10_500));
    expect(rows()).toEqual(first);
    expect(rows().at(-1)?.textContent).toContain('line 10500');
    // As many as the frame of 400 px can show, and three more.
    expect(rows()).toHaveLength(19);
    expect(log.scrollTop).toBe(250_000);
  });

  it('names a single missing echo by its number', () => {
    const [, gap, next] = shown(1, 3);
    expect(gap).toBe('Echo 2 is missing from this view. See the saved echoes.');
    expect(next).toContain('line 3');
  });

  it('removes characters that reverse text, and shows progress beyond its total as 100%', () => {
    const time = '2026-01-01T00:00:00.000Z';
    const echoes = [
      { type: 'log' as const, msg: 'main\u202egpj.js', time, seq: 1 },
      { type: 'progress' as const, msg: '12 of 10', time, seq: 2 },
    ];
    render(<EchoConsole content={contentOf(consoleLines(echoes))} emptyText="Nothing." />);
    expect(screen.getByText('maingpj.js')).toBeDefined();
    expect(screen.getByText('100%')).toBeDefined();
  });

  it('draws progress as a bar and rows as a table, and shows texts that do not fit as plain text', () => {
    const time = '2026-01-01T00:00:00.000Z';
    const echoes = [
      { type: 'progress' as const, msg: 'Pages: 3 of 12', time, seq: 1 },
      { type: 'table' as const, msg: 'title │ price\n──────┼──────\n<b>A  │ 12.5', time, seq: 2 },
      { type: 'progress' as const, msg: 'Books: 7', time, seq: 3 },
      { type: 'table' as const, msg: '(no rows)', time, seq: 4 },
    ];
    render(<EchoConsole content={contentOf(consoleLines(echoes))} emptyText="Nothing." />);
    const bar = screen.getByRole('progressbar', { name: 'Pages' }) as HTMLProgressElement;
    expect([bar.value, bar.max, bar.parentElement?.textContent]).toEqual([3, 12, 'Pages: 3 of 1225%']);
    expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['title', 'price']);
    expect(screen.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual(['<b>A', '12.5']);
    for (const text of ['Books: 7', '(no rows)']) expect(screen.getByText(text)).toBeDefined();
  });

  it('counts several missing echoes and names their range', () => {
    const [gap] = shown(502, 503);
    expect(gap).toBe('501 echoes (1–501) are missing from this view. See the saved echoes.');
  });

  it('keeps the lines that the user is reading when newer ones replace them, and loads older ones on request', async () => {
    const live = (from: number, to: number) =>
      contentOf(consoleLines(Array.from({ length: to - from + 1 }, (_, n) => echo(from + n))));
    let setContent: (content: ReturnType<typeof live>) => void = () => {};
    function Live() {
      const [content, set] = useState(() => live(101, 110));
      setContent = set;
      return <EchoConsole content={content} followed={FOLLOWED} emptyText="Nothing." />;
    }
    const before = { body: { total: 410, items: [echo(99), echo(100)], next_after_seq: 100, next_before_seq: 99 } };
    showScreen(<Live />, { 'GET /joint-api/echoes/r1/list': before });
    const log = screen.getByRole('log');
    jest.spyOn(log, 'scrollHeight', 'get').mockReturnValue(5_000);
    await act(async () => fireEvent.scroll(log));
    const rows = () => [...log.querySelectorAll('.console-row')].map(row => row.textContent);
    const read = rows();
    expect(read.join()).toContain('line 1');
    await act(async () => setContent(live(401, 410)));
    expect(rows()).toEqual(read);

    await press('Load');
    expect(sent.map(({ call }) => call)).toEqual(['GET /joint-api/echoes/r1/list?limit=100&before_seq=101']);
    expect(await screen.findByText('line 99')).toBeTruthy();
    expect(screen.getByText(/98 echoes \(1–98\) are missing/)).toBeTruthy();

    await press('300 newer');
    expect(screen.getByText('line 401')).toBeTruthy();
  });
});
