import { screen, waitFor } from '@testing-library/react';
import { useNavigate } from 'react-router';
import { press, type Sent, sent, showScreen } from '../../../test-screen.js';
import { SavedEchoes } from './saved-echoes.js';

const LIST = 'GET /joint-api/echoes/r1/list';
const LAST = 60_000;
const echo = (seq: number, msg = `line ${seq}`) => ({ seq, type: 'log', msg, time: '2026-01-01T00:00:00.000Z' });

/** Answers like the API, with pages of two. */
const answer = ({ call }: Sent) => {
  const query = new URLSearchParams(call.split('?')[1]);
  const isLast = query.has('before_seq');
  return {
    body: {
      total: LAST,
      items: isLast ? [echo(LAST - 1), echo(LAST)] : [echo(1), echo(2)],
      next_after_seq: isLast ? null : 2,
      next_before_seq: isLast ? LAST - 1 : null,
      ...(query.has('count') && { matching: 1234, matching_capped: false }),
    },
  };
};

beforeEach(() => {
  // The virtualizer renders visible lines only, and jsdom has no layout.
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400);
});
afterEach(() => jest.restoreAllMocks());

it('the saved echoes have buttons to the last of 60,000 lines and back to the first', async () => {
  showScreen(<SavedEchoes executionId="r1" />, { [LIST]: answer });
  expect(await screen.findByText('1–2 of 60,000 echoes')).toBeTruthy();
  await press('Last');
  expect(await screen.findByText('59,999–60,000 of 60,000 echoes')).toBeTruthy();
  expect(screen.getByText('line 60000')).toBeTruthy();
  await press('First');
  expect(await screen.findByText('1–2 of 60,000 echoes')).toBeTruthy();
});

function Back() {
  const navigate = useNavigate();
  return (
    <button type="button" onClick={() => void navigate(-1)}>
      Back
    </button>
  );
}

it('the Back button of the browser returns to the previous page of saved echoes', async () => {
  const screenWithBack = (
    <>
      <SavedEchoes executionId="r1" />
      <Back />
    </>
  );
  showScreen(screenWithBack, { [LIST]: answer });
  expect(await screen.findByText('1–2 of 60,000 echoes')).toBeTruthy();
  await press('Last');
  expect(await screen.findByText('59,999–60,000 of 60,000 echoes')).toBeTruthy();
  await press('Back');
  expect(await screen.findByText('1–2 of 60,000 echoes')).toBeTruthy();
});

it('the saved echoes read search, type and position from the address, and show the number of matches', async () => {
  showScreen(
    <SavedEchoes executionId="r1" />,
    { [LIST]: answer },
    '/developer/here?contains=price&type=log&after_seq=7',
  );
  expect(await screen.findByText('1,234 matches in 60,000 echoes')).toBeTruthy();
  const calls = sent
    .map(({ call }) => new URLSearchParams(call.split('?')[1]))
    .filter(query => query.get('type') !== 'error');
  expect(calls.every(query => query.get('contains') === 'price' && query.get('type') === 'log')).toBe(true);
  expect(calls.some(query => query.get('after_seq') === '7')).toBe(true);
});

it('the saved echoes have buttons to the first error and the next, shown with the echoes before it', async () => {
  const around = ({ call }: Sent) => {
    const query = new URLSearchParams(call.split('?')[1]);
    if (query.get('type') === 'error')
      return { body: { total: LAST, items: [echo(1234), echo(41_000)], next_after_seq: null, next_before_seq: null } };
    const first = Number(query.get('after_seq')) + 1;
    const items = Array.from({ length: 20 }, (_, index) => echo(first + index));
    return { body: { total: LAST, items, next_after_seq: first + 19, next_before_seq: first } };
  };
  showScreen(<SavedEchoes executionId="r1" />, { [LIST]: around });
  await press('First error');
  expect(await screen.findByText('1,224–1,243 of 60,000 echoes')).toBeTruthy();
  const marked = () => document.querySelector('[data-shown]')?.textContent;
  await waitFor(() => expect(marked()).toContain('line 1234'));
  await press('Next error');
  await waitFor(() => expect(marked()).toContain('line 41000'));
  expect(document.querySelectorAll('.rail-mark')).toHaveLength(2);
});

it('the saved echoes shorten a huge echo, and show all of it on request', async () => {
  const huge = 'x'.repeat(100_000);
  showScreen(<SavedEchoes executionId="r1" />, {
    [LIST]: { body: { total: 1, items: [echo(1, huge)], next_after_seq: null, next_before_seq: null } },
  });
  await press('Show all 100,000 characters');
  await waitFor(() => expect(screen.getByText(huge)).toBeTruthy());
  await press('Show less');
  expect(screen.queryByText(huge)).toBeNull();
});

it('the saved echoes say how long an echo was that the worker has cut', async () => {
  const cut = `${'x'.repeat(99_965)}… [cut: 2500000 characters in all]`;
  showScreen(<SavedEchoes executionId="r1" />, {
    [LIST]: { body: { total: 1, items: [echo(1, cut)], next_after_seq: null, next_before_seq: null } },
  });
  await press('Show the first 99,965 of 2,500,000 characters');
  await waitFor(() => expect(screen.getByText(cut)).toBeTruthy());
});
