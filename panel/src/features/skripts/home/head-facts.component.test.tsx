import { act, screen } from '@testing-library/react';
import { useLiveExecutions } from '../../../live/use-live-executions.js';
import { liveHandlers, testSocket } from '../../../test-live.js';
import { run } from '../../../test-run.js';
import { listOf, showScreen } from '../../../test-screen.js';
import { HeadFacts } from './head-facts.js';

jest.mock('../../../live/live-socket.js', () => ({ liveSocket: () => testSocket }));

function LiveHead() {
  useLiveExecutions();
  return <HeadFacts skriptId="s" runHref={id => `/runs/${id}`} />;
}

it('the head of a skript shows that the rows of its last run are broken as soon as a notice tells of it', async () => {
  const ended = run({ action: 'end', ended_at: '2026-01-01T00:00:05.000Z' });
  const broken = { ...ended, verdict: { level: 'broken', reason: null, findings: [] } };
  let last: object = ended;
  showScreen(<LiveHead />, {
    'GET /joint-api/skript-execution/list': () => listOf(last),
    'GET /joint-api/schedules/list': listOf(),
  });
  await screen.findByText('completed');
  last = broken;
  await act(async () => liveHandlers.get('notices')?.(undefined));
  expect((await screen.findByText('rows broken')).closest('a')?.getAttribute('href')).toBe('/runs/first');
});
