import { useEffect, useState } from 'react';
import type { Execution } from '../../api/entities.js';
import { durationText } from '../values/duration-text.js';
import { durationMs } from './duration-ms.js';

const SECOND_MS = 1_000;

type Timed = Pick<Execution, 'action' | 'waiting_for' | 'started_at' | 'ended_at'>;

/** How long a run took. While it runs, the time since its start, which counts on. */
export function RunDuration({ run }: { run: Timed }) {
  const { action, waiting_for: waiting, started_at: from } = run;
  const isRunning = action === 'start' && !waiting && from !== null;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  if (!isRunning) return <>{durationText(durationMs(run))}</>;
  const seconds = Math.floor((durationMs(run, now) ?? 0) / SECOND_MS);
  return <span className="tabular">{durationText(seconds * SECOND_MS)}</span>;
}
