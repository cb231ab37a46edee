import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { Page } from '../../components/page/page.js';
import { type RunRequest, useStartRun } from '../../features/execute-skript/api/start-run.js';
import { StartFailure } from '../../features/execute-skript/components/start-failure.js';
import { StartForm } from '../../features/execute-skript/components/start-form.js';
import { usePanelPath } from '../../session/panel-path.js';
import { RunView } from './run-view.js';

export default function ExecuteSkriptRoute() {
  const [params, setParams] = useSearchParams();
  const path = usePanelPath();
  const start = useStartRun();
  const [lastRequest, setLastRequest] = useState<RunRequest | null>(null);
  const skriptId = params.get('skript_id') ?? '';
  const executionId = params.get('execution_id') ?? '';

  /** An empty parameter means no input, a missing one the default of the skript. */
  const inputOf = (name: string) => (params.has(name) ? params.get(name) || null : undefined);

  const runCard = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Scroll to the run, because on phones it is below the visible area.
    if (executionId) runCard.current?.scrollIntoView({ block: 'nearest' });
  }, [executionId]);

  const run = (request: RunRequest) => {
    setLastRequest(request);
    start.mutate(request, {
      onSuccess: execution => setParams({ skript_id: request.skript_id, execution_id: execution.id }),
    });
  };

  return (
    <Page
      title="Execute skript"
      description="Choose a skript and a worker, start a run and watch its echoes."
      actions={
        skriptId && (
          <Button variant="default" component={Link} to={path('skripts', `/${skriptId}`)}>
            Open in the editor
          </Button>
        )
      }
    >
      <StartForm
        skriptId={skriptId}
        initialInputId={inputOf('input_id')}
        initialSecretId={inputOf('inputSecret_id')}
        onSkript={id => setParams(id ? { skript_id: id } : {}, { replace: true })}
        onStart={run}
        isStarting={start.isPending}
      />
      {start.isError && lastRequest && (
        <StartFailure
          error={start.error}
          executionHref={id => path('skript-executions', `/${id}`)}
          onForce={() => run({ ...lastRequest, force: true })}
        />
      )}
      {executionId && (
        <div className="card run-card" ref={runCard}>
          <RunView key={executionId} executionId={executionId} />
        </div>
      )}
    </Page>
  );
}
