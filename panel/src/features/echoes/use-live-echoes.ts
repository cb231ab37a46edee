import { useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { messageOf } from '../../api/api-error.js';
import { liveSocket } from '../../live/live-socket.js';
import { listEchoes } from './api/list-echoes.js';
import { contentOf } from './console-content.js';
import type { ConsoleLine } from './echo-buffer.js';
import { LiveRunClient } from './live/live-run-client.js';
import { type EchoFilter, type LiveView, NO_FILTER } from './live/messages.js';
import { NO_QUESTIONS } from './questions.js';

/** If a user opens the live view after the run has started, about this many earlier echoes are loaded. */
const CATCH_UP = 2_000;
const CATCH_UP_PAGE = 1_000;

const EMPTY: LiveView = {
  filter: NO_FILTER,
  content: contentOf([]),
  loaded: 0,
  lastSeq: 0,
  isIncomplete: false,
  errorSeqs: [],
  questions: NO_QUESTIONS,
};

export interface LiveEchoesView extends LiveView {
  /** Number of echoes that the run has sent. Null until the run has ended and its last echoes are loaded. */
  endTotal: number | null;
  isConnected: boolean;
  /** Message that says why live echoes are not available; null if they are. */
  problem: string | null;
  setFilter: (filter: EchoFilter) => void;
  /** Keeps the lines of the current view, so that `linesBefore` can load the earlier ones of them. */
  hold: () => void;
  linesBefore: (key: number) => Promise<ConsoleLine[]>;
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
  const client = useRef<LiveRunClient>(null);
  const [view, setView] = useState(EMPTY);
  const [endTotal, setEndTotal] = useState<number | null>(null);
  const [isConnected, setConnected] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  useLayoutEffect(() => {
    const opened = new LiveRunClient({ onView: latest => flushSync(() => setView(latest)), onFailure: setProblem });
    client.current = opened;
    return () => opened.close();
  }, []);

  // A layout effect, because an effect would ask for the first echoes only after the browser has painted.
  useLayoutEffect(() => {
    const socket = liveSocket();
    const ending = new AbortController();
    const onEchoes = (json: string) => client.current?.send({ kind: 'batch', executionId, json });
    const catchUp = async () => {
      try {
        let total = 0;
        for await (const { items, total: sent } of earlierEchoes(executionId, ending.signal)) {
          client.current?.send({ kind: 'echoes', items });
          total = sent;
        }
        for (const type of ['question', 'answer'] as const) {
          const query = { execution_id: executionId, limit: CATCH_UP_PAGE, type };
          const { items } = await listEchoes(query, ending.signal);
          client.current?.send({ kind: 'questions', items });
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

    if (!isLive) {
      setProblem(null);
      void catchUp();
      return () => ending.abort();
    }
    socket.on('echoes', onEchoes);
    socket.on('connect', watch);
    socket.on('disconnect', onDisconnect);
    if (socket.connected) watch();
    return () => {
      ending.abort();
      socket.off('echoes', onEchoes);
      socket.off('connect', watch);
      socket.off('disconnect', onDisconnect);
      if (socket.connected) socket.emit('watch', { execution_id: executionId, on: false }, () => undefined);
    };
  }, [executionId, isLive]);

  const [calls] = useState(() => ({
    setFilter: (filter: EchoFilter) => client.current?.send({ kind: 'filter', filter }),
    hold: () => client.current?.send({ kind: 'hold' }),
    linesBefore: async (key: number) => (await client.current?.linesBefore(key)) ?? [],
  }));
  return { ...view, endTotal, isConnected, problem, ...calls };
}
