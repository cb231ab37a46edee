import { Button, CloseButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { Dashboard as Figures } from '../../../api/entities.js';
import { usePanelPath } from '../../../session/panel-path.js';
import { readSession } from '../../../session/session-cookies.js';

/** The first steps of a new account. Shows nothing once they are done, or the user closed them in this browser. */
export function FirstSteps({ figures: { skripts, runs, quotas, recent_runs: recent } }: { figures: Figures }) {
  const path = usePanelPath();
  const [isClosed, setClosed] = useLocalStorage({
    // Each account of this browser has its own first steps.
    key: `trawl-first-steps-closed-${readSession(document.cookie)?.username ?? ''}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const steps = [
    {
      title: 'Write a skript',
      text: 'A skript is a main.js with one function. It starts as an example that you can run.',
      isDone: skripts.total > 0,
      button: 'New skript',
      to: path('skripts', '?new=1'),
    },
    {
      title: 'Run it',
      text: 'Choose a worker and watch the echoes as they come.',
      isDone: runs.total > 0,
      button: 'Execute a skript',
      to: path('execute-skript', skripts.newest ? `?skript_id=${skripts.newest.id}` : ''),
    },
    {
      title: 'Look at what it stored',
      text: 'What a skript stores, by dataset.push or by calls to MongoDB and PostgreSQL, is in your databases.',
      // The newest runs may have stored nothing, and `rows` counts only those of `dataset.push`.
      isDone: recent.some(({ rows }) => rows > 0) || quotas.storage_bytes.used > 0,
      button: 'Open Storage',
      to: path('storage'),
    },
    {
      title: 'Schedule it',
      text: 'A schedule runs it every morning, or at other times you set.',
      isDone: (quotas.schedules?.used ?? 0) > 0,
      button: 'New schedule',
      to: path('scheduler', '?new=1'),
    },
  ];
  const next = steps.find(({ isDone }) => !isDone);
  if (isClosed || !next || runs.total > 20) return null;
  return (
    <section className="card first-steps" aria-label="First steps">
      <header>
        <h2>First steps</h2>
        <CloseButton aria-label="Close the first steps" onClick={() => setClosed(true)} />
      </header>
      <ol>
        {steps.map(({ title, text, isDone, button, to }) => (
          <li key={title} data-done={isDone || undefined}>
            {isDone ? <IconCircleCheckFilled size={22} aria-hidden /> : <IconCircle size={22} aria-hidden />}
            <div>
              <strong>
                {title}
                {isDone && <span className="visually-hidden"> (done)</span>}
              </strong>
              {!isDone && <p>{text}</p>}
            </div>
            {next.title === title && (
              <Button component={Link} to={to} size="xs">
                {button}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
