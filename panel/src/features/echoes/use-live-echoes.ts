import type { Echo, LiveEchoes } from '@trawl/contracts';
import { useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { messageOf } from '../../api/api-error.js';
import { liveSocket } from '../../live/live-socket.js';
import { listEchoes } from './api/list-echoes.js';
import { addEchoes, type EchoBuffer, MAX_LINES } from './echo-buffer.js';
import { addQuestions, NO_QUESTIONS, type Questions } from './questions.js';

/** If a user opens the live view after the run has started, about this many earlier echoes are loaded. */
const CATCH_UP = 2_000;
const CATCH_UP_PAGE = 1_000;

export interface LiveEchoesView {
  echoes: EchoBuffer;
  /** The questions of the run, also those that `echoes` no longer has. */
  questions: Questions;
  /** Number of echoes that the run has sent. Null until the run has ended and its last echoes are loaded. */
  endTotal: number | null;
  isConnected: boolean;
  /** Message that says why live echoes are not available; null if they are. */
  problem: string | null;
}

/** Yields the echoes from before the user opened the live view, page by page. */
async function* earlierEchoes(executionId: string, signal: AbortSignal) {
  const first = await listEchoes({ execution_id: executionId, limit: CATCH_UP_PAGE }, signal);
  let page = first;
  if (first.total > CATCH_UP) {
    page = await listEchoes(
      { execution_id: executionId, limit: CATCH_UP_PAGE, after_seq: first.total - CATCH_UP },
      signal,
    );
  }
  yield page;
  while (page.next_after_seq !== null && page.items.length > 0) {
    page = await listEchoes(
      { execution_id: executionId, limit: CATCH_UP_PAGE, after_seq: page.next_after_seq },
      signal,
    );
    yield page;
  }
}

/**
 * Returns the echoes of a run and adds new ones while the run is live and the component is mounted. When the run ends,
 * adds the last ones that the live view lacks. `executionId` must not change.
 */
export function useLiveEchoes(executionId: string, isLive: boolean): LiveEchoesView {
  const [echoes, setEchoes] = useState<EchoBuffer>([]);
  const [questions, setQuestions] = useState(NO_QUESTIONS);
  const [endTotal, setEndTotal] = useState<number | null>(null);
  const [isConnected, setConnected] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  // A layout effect, because an effect would ask for the first echoes only after the browser has painted.
  useLayoutEffect(() => {
    const socket = liveSocket();
    const ending = new AbortController();
    let waiting: LiveEchoes['items'] = [];
    let frame = 0;

    // Draw the first echoes at once, and those that arrive before the next animation frame together in that frame.
    const draw = () => {
      frame = 0;
      if (waiting.length === 0) return;
      const items = waiting;
      waiting = [];
      frame = requestAnimationFrame(draw);
      // Without `flushSync`, React would draw them after the frame.
      flushSync(() => setEchoes(buffer => addEchoes(buffer, items)));
    };
    const takeQuestions = (items: readonly Echo[]) => setQuestions(known => addQuestions(known, items));
    const take = (items: LiveEchoes['items']) => {
      takeQuestions(items);
      // While the tab is hidden, nothing is drawn, so limit the number of waiting echoes.
      waiting = [...waiting, ...items].slice(-MAX_LINES);
      if (frame === 0) draw();
    };
    const onEchoes = (batch: LiveEchoes) => {
      if (batch.execution_id === executionId) take(batch.items);
    };
    const catchUp = async () => {
      try {
        let total = 0;
        for await (const page of earlierEchoes(executionId, ending.signal)) {
          take(page.items);
          total = page.total;
        }
        for (const type of ['question', 'answer'] as const) {
          const query = { execution_id: executionId, limit: CATCH_UP_PAGE, type };
          takeQuestions((await listEchoes(query, ending.signal)).items);
        }
        if (!isLive) setEndTotal(total);
      } catch (error) {
        if (!ending.signal.aborted) setProblem(messageOf(error));
      }
    };
    const watch = () => {
      setConnected(true);
      socket.emit('watch', { execution_id: executionId, on: true }, answer => {
        setProblem(answer.ok ? null : (answer.error_message ?? 'Live echoes are not available for this run.'));
      });
      void catchUp();
    };
    const onDisconnect = () => setConnected(false);
    const stop = () => {
      ending.abort();
      if (frame !== 0) cancelAnimationFrame(frame);
      setEchoes(buffer => addEchoes(buffer, waiting));
    };

    if (!isLive) {
      setProblem(null);
      void catchUp();
      return stop;
    }
    socket.on('echoes', onEchoes);
    socket.on('connect', watch);
    socket.on('disconnect', onDisconnect);
    if (socket.connected) watch();
    return () => {
      stop();
      socket.off('echoes', onEchoes);
      socket.off('connect', watch);
      socket.off('disconnect', onDisconnect);
      if (socket.connected) socket.emit('watch', { execution_id: executionId, on: false }, () => undefined);
    };
  }, [executionId, isLive]);

  return { echoes, questions, endTotal, isConnected, problem };
}
