import { Alert } from '@mantine/core';
import { type Action, isLive } from '@trawl/contracts';
import type { ReactNode } from 'react';
import { consoleLines } from '../echo-buffer.js';
import { useLiveEchoes } from '../use-live-echoes.js';
import { EchoConsole } from './echo-console.js';

function Watching({ executionId }: { executionId: string }) {
  const { echoes, isConnected, problem } = useLiveEchoes(executionId);
  return (
    <>
      {problem && (
        <Alert role="alert" color="red" variant="light" m="xs" p="xs" title="The echoes are not complete">
          {problem}
        </Alert>
      )}
      {!isConnected && (
        <p className="console-note" role="status">
          Connecting to the live echoes…
        </p>
      )}
      <EchoConsole
        lines={consoleLines(echoes)}
        follow
        emptyText="Nothing echoed yet. Lines appear here as the skript writes them."
      />
    </>
  );
}

interface RealtimeEchoesProps {
  executionId: string;
  action: Action;
  /** Instead of the lines, which vanish when the run ends. */
  ended: ReactNode;
}

export function RealtimeEchoes({ executionId, action, ended }: RealtimeEchoesProps) {
  return isLive(action) ? <Watching key={executionId} executionId={executionId} /> : ended;
}
