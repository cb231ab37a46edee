import '../../styles/runs/start.css';
import { Alert, Button } from '@mantine/core';
import { startTransition, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { createSearchParams, Link, useHref, useNavigate, useSearchParams } from 'react-router';
import type { JsonValue } from '../../api/entities.js';
import { useExecution } from '../../api/requests/get-execution.js';
import { isMissing } from '../../components/feedback/load-failure.js';
import { Page } from '../../components/page/page.js';
import { useStartOnWorkers, useStartRun } from '../../features/execute-skript/api/start-run.js';
import { SaveValuesModal } from '../../features/execute-skript/components/save-values-modal.js';
import { StartFailure } from '../../features/execute-skript/components/start-failure.js';
import { type OtherUse, StartForm } from '../../features/execute-skript/components/start-form.js';
import { UseElsewhere } from '../../features/execute-skript/components/use-elsewhere.js';
import { WorkerResults } from '../../features/execute-skript/components/worker-results.js';
import type { RunRequest } from '../../features/execute-skript/start-call.js';
import { usePanelPath } from '../../session/panel-path.js';
import { RunView } from './run-view.js';

export default function ExecuteSkriptRoute() {
  const [params] = useSearchParams();
  const path = usePanelPath();
  const navigate = useNavigate();
  const keysHref = useHref(path('joint-api'));
  const start = useStartRun();
  const startOnWorkers = useStartOnWorkers();
  const [otherUse, setOtherUse] = useState<{ use: OtherUse; request: RunRequest; onKept: () => void } | null>(null);
  const skriptId = params.get('skript_id') ?? '';
  const executionId = params.get('execution_id') ?? '';
  /** The run whose typed input the form begins with. */
  const repeatedId = params.get('input_of') ?? '';
  const repeated = useExecution(repeatedId);

  /** An empty parameter means no input, a missing one the default of the skript. */
  const inputOf = (name: string) => (params.has(name) ? params.get(name) || null : undefined);
  const inputId = inputOf('input_id');
  const secretId = inputOf('inputSecret_id');
  const value = (repeated.data?.input_value ?? undefined) as JsonValue | undefined;
  const initialInput = useMemo(
    () => ({ input_id: inputId, inputSecret_id: secretId, value }),
    [inputId, secretId, value],
  );

  const runCard = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A new run grows after it has appeared. On phones, scroll its beginning to the top, so that the result is visible.
    const block = window.matchMedia('(max-width: 48em)').matches ? 'start' : 'nearest';
    if (!executionId && !startOnWorkers.data) return;
    // Measuring the page before the next frame would delay the request for the first echoes.
    const frame = requestAnimationFrame(() => runCard.current?.scrollIntoView({ block }));
    return () => cancelAnimationFrame(frame);
  }, [executionId, startOnWorkers.data]);

  // The functions for the form stay the same, so that the form does not render while a run starts and appears.
  const { mutate: startRun, reset: resetRun } = start;
  const { mutate: startRuns, reset: resetRuns } = startOnWorkers;
  /** `onKept` of the last start. */
  const keep = useRef(() => {});
  const run = useCallback(
    (request: RunRequest, onKept: () => void) => {
      keep.current = onKept;
      if (request.worker_ids.length > 1) {
        startRuns(request, { onSuccess: ({ results }) => results.some(({ execution }) => execution) && onKept() });
        return resetRun();
      }
      startRun(request, {
        onSuccess: ({ id }) => {
          const search = `?${createSearchParams({ skript_id: request.skript_id, execution_id: id })}`;
          // Without `flushSync`, the run would appear after all other work of the page.
          void navigate({ search }, { flushSync: true });
          // The form renders after the run has appeared.
          startTransition(onKept);
        },
      });
      resetRuns();
    },
    [startRun, startRuns, resetRun, resetRuns, navigate],
  );

  const chooseSkript = useCallback(
    (id: string) => void navigate({ search: id && `?${createSearchParams({ skript_id: id })}` }, { replace: true }),
    [navigate],
  );
  const schedule = useCallback(
    ({ skript_id, worker_ids }: RunRequest, ids: { input_id: string | null; inputSecret_id: string | null }) =>
      void navigate(
        path(
          'scheduler',
          `?${createSearchParams({
            new: '1',
            start_skript_id: skript_id,
            start_worker_id: worker_ids[0] ?? 'any',
            start_input_id: ids.input_id ?? '',
            start_inputSecret_id: ids.inputSecret_id ?? '',
          })}`,
        ),
      ),
    [navigate, path],
  );
  const useOtherwise = useCallback(
    (use: OtherUse, request: RunRequest, onKept: () => void) => {
      const { input } = request;
      if (use === 'schedule' && input.from === 'stored') return schedule(request, input);
      if (use === 'schedule' && input.from === 'typed' && input.input === undefined && input.inputSecret === undefined)
        return schedule(request, { input_id: null, inputSecret_id: null });
      setOtherUse({ use, request, onKept });
    },
    [schedule],
  );

  const isMulti = startOnWorkers.variables !== undefined;
  const lastRequest = startOnWorkers.variables ?? start.variables;
  const failure = isMulti ? startOnWorkers.error : start.error;
  return (
    <Page
      title="Execute skript"
      description="Start a run and watch its echoes."
      actions={
        skriptId && (
          <Button variant="default" component={Link} to={path('skripts', `/${skriptId}`)}>
            Open in the editor
          </Button>
        )
      }
    >
      {isMissing(repeated.error) && (
        <Alert role="alert" color="yellow" variant="light" mb="md" title="There is no such run">
          The address names a run whose input the form should begin with. Choose another input.
        </Alert>
      )}
      {/* While the input of the repeated run loads, there is nothing to begin with. */}
      {!(repeatedId && repeated.isPending) && (
        <StartForm
          skriptId={skriptId}
          initialWorkerId={params.get('worker_id') || 'any'}
          initialInput={initialInput}
          onSkript={chooseSkript}
          onStart={run}
          onOtherUse={useOtherwise}
        />
      )}
      {failure && lastRequest && (
        <StartFailure
          error={failure}
          executionHref={id => path('skript-executions', `/${id}`)}
          onForce={() => run({ ...lastRequest, force: true }, keep.current)}
        />
      )}
      {isMulti && startOnWorkers.data ? (
        <div ref={runCard}>
          <WorkerResults
            results={startOnWorkers.data.results}
            executionHref={id => path('skript-executions', `/${id}`)}
          />
        </div>
      ) : (
        executionId && (
          <div className="card run-card" ref={runCard}>
            <RunView key={executionId} executionId={executionId} />
          </div>
        )
      )}
      {otherUse && otherUse.use !== 'schedule' && (
        <UseElsewhere
          request={otherUse.request}
          as={otherUse.use}
          onChange={use => setOtherUse({ ...otherUse, use })}
          onClose={() => setOtherUse(null)}
          keysHref={keysHref}
        />
      )}
      {otherUse?.use === 'schedule' && otherUse.request.input.from === 'typed' && (
        <SaveValuesModal
          skriptId={otherUse.request.skript_id}
          input={otherUse.request.input}
          onSaved={ids => {
            // Otherwise the panel would ask whether to leave without saving.
            flushSync(otherUse.onKept);
            schedule(otherUse.request, ids);
          }}
          onClose={() => setOtherUse(null)}
        />
      )}
    </Page>
  );
}
