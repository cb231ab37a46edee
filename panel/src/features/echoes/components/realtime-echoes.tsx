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
        <Alert role="alert" color="red" variant="light" m="xs" p="xs" title="Live echoes are incomplete">
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
        executionId={executionId}
        follow
        emptyText="No echoes yet. They appear here as the skript sends them."
      />
    </>
  );
}

interface RealtimeEchoesProps {
  executionId: string;
  action: Action;
  /** Replaces the live echoes when the run has ended. */
  ended: ReactNode;
}

export function RealtimeEchoes({ executionId, action, ended }: RealtimeEchoesProps) {
  return isLive(action) ? <Watching key={executionId} executionId={executionId} /> : ended;
}
