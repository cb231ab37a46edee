import { act, screen } from '@testing-library/react';
import { useState } from 'react';
import { showScreen } from '../../test-screen.js';
import { RelativeTime, relativeWords } from './relative-time.js';
import { timeWords } from './time-text.js';

const NOW = new Date(2026, 10, 26, 12, 0, 0).getTime();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

it.each([
  [-5_000, 'just now'],
  [20_000, 'now'],
  [40_000, 'in a minute'],
  [-5.9 * MINUTE, '5 min ago'],
  [2.5 * HOUR, 'in 2 hr'],
  [-50 * HOUR, '2 days ago'],
  [-20 * 24 * HOUR, '6 Nov'],
  [60 * 24 * HOUR, '25 Jan 2027'],
])('a time %i ms away is shown as “%s”', (ms, words) => {
  expect(
    relativeWords(new Date(NOW + ms).toISOString(), NOW)
      .replace('hr.', 'hr')
      .replace('min.', 'min'),
  ).toBe(words);
});

it('a relative time has the exact time with its zone in the tooltip and for screen readers, and follows the clock', async () => {
  jest.useFakeTimers({ now: NOW });
  try {
    const iso = new Date(NOW - 2 * MINUTE).toISOString();
    showScreen(<RelativeTime iso={iso} />, {});
    const exact = timeWords(iso);
    expect(screen.getByTitle(exact).textContent).toMatch(/^2 min\.? ago/);
    expect(screen.getByText(exact).className).toBe('visually-hidden');
    expect(screen.getByText(/^2 min/).getAttribute('aria-hidden')).toBe('true');
    await act(async () => jest.advanceTimersByTime(MINUTE));
    expect(screen.getByText(/^3 min/)).toBeTruthy();
  } finally {
    jest.useRealTimers();
  }
});

it('a time that has just passed is never shown as one to come while the page waits for its next tick', async () => {
  jest.useFakeTimers({ now: NOW });
  try {
    const iso = new Date(NOW + 4_000).toISOString();
    const other = new Date(NOW - HOUR).toISOString();
    function Page() {
      const [isNew, setNew] = useState(false);
      return (
        <>
          <RelativeTime iso={other} />
          <button type="button" onClick={() => setNew(true)}>
            New
          </button>
          {isNew && <RelativeTime iso={iso} />}
        </>
      );
    }
    showScreen(<Page />, {});
    await act(async () => jest.advanceTimersByTime(5_000));
    await act(async () => screen.getByRole('button').click());
    expect(screen.getByTitle(timeWords(iso)).textContent).toMatch(/^just now/);
  } finally {
    jest.useRealTimers();
  }
});
