import '../../styles/editor.css';
import '../../styles/runs/start.css';
import '../../styles/skripts.css';
import { Skeleton } from '@mantine/core';
import { Link, useNavigate, useParams } from 'react-router';
import { DEFAULT_INPUT, DEFAULT_INPUT_SECRET, defaultInputId } from '../../api/default-input.js';
import type { Skript } from '../../api/entities.js';
import { useSkript } from '../../api/requests/get-skript.js';
import { useInputSecrets } from '../../api/requests/list-input-secrets.js';
import { useInputs } from '../../api/requests/list-inputs.js';
import { LoadFailure } from '../../components/feedback/load-failure.js';
import { useUrlParams } from '../../components/list/url-params.js';
import { Page } from '../../components/page/page.js';
import { NO_ECHO_FILTER } from '../../features/echoes/echo-place.js';
import { useStartRun } from '../../features/execute-skript/api/start-run.js';
import { StartFailure } from '../../features/execute-skript/components/start-failure.js';
import { useDeleteSkript } from '../../features/skripts/api/delete-skript.js';
import { confirmDeleteSkript } from '../../features/skripts/components/confirm-delete-skript.js';
import { SkriptEditor } from '../../features/skripts/editor/skript-editor.js';
import { usePanelPath } from '../../session/panel-path.js';
import { RunView } from '../runs/run-view.js';

function Editor({ skript }: { skript: Skript }) {
  const path = usePanelPath();
  const navigate = useNavigate();
  const inputs = useInputs(skript.id);
  const secrets = useInputSecrets(skript.id);
  const start = useStartRun();
  const remove = useDeleteSkript();
  const params = useUrlParams();
  // In the address, so that the run is still there after a look at its page.
  const executionId = params.get('execution_id');

  const run = (force = false) =>
    start.mutate(
      {
        skript_id: skript.id,
        worker_ids: ['any'],
        force,
        input: {
          from: 'stored',
          input_id: defaultInputId(inputs.data?.items, DEFAULT_INPUT),
          inputSecret_id: defaultInputId(secrets.data?.items, DEFAULT_INPUT_SECRET),
        },
      },
      { onSuccess: execution => params.set({ ...NO_ECHO_FILTER, execution_id: execution.id }) },
    );

  return (
    <SkriptEditor
      skript={skript}
      crumbs={<Link to={path('skripts')}>Skripts</Link>}
      onRun={() => run()}
      isStarting={start.isPending}
      startError={start.error}
      renderStartFailure={onOpenProblem => (
        <StartFailure
          error={start.error}
          executionHref={id => path('skript-executions', `/${id}`)}
          onForce={() => run(true)}
          onOpenProblem={onOpenProblem}
        />
      )}
      onDelete={() =>
        confirmDeleteSkript(skript, () => remove.mutate(skript.id, { onSuccess: () => void navigate(path('skripts')) }))
      }
      runId={executionId}
      run={executionId && <RunView key={executionId} executionId={executionId} />}
    />
  );
}

export default function SkriptRoute() {
  const { skriptId = '' } = useParams();
  const path = usePanelPath();
  const query = useSkript(skriptId);
  if (query.data) return <Editor key={query.data.id} skript={query.data} />;
  return (
    <Page title="Skript" crumbs={<Link to={path('skripts')}>Skripts</Link>}>
      {query.isError ? (
        <LoadFailure noun="skript" listHref={path('skripts')} listLabel="All skripts" query={query} />
      ) : (
        <Skeleton height={420} radius={10} />
      )}
    </Page>
  );
}
