import '../../styles/runs/runs.css';
import '../../styles/scheduler.css';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import type { Schedule } from '../../api/entities.js';
import { useSchedules } from '../../api/requests/list-schedules.js';
import { useListParams } from '../../components/list/list-params.js';
import { Page } from '../../components/page/page.js';
import { ScheduleFormModal, type ScheduleStart } from '../../features/scheduler/components/schedule-form-modal.js';
import { SchedulesTable } from '../../features/scheduler/components/schedules-table.js';
import { WeekLanes } from '../../features/scheduler/components/week-lanes.js';
import { usePanelPath } from '../../session/panel-path.js';

const START_PARAMS = ['new', 'start_skript_id', 'start_worker_id', 'start_input_id', 'start_inputSecret_id'];

/** Reads the values of a new schedule from the URL. An empty input means none, a missing one the skript's default. */
const startIn = (params: URLSearchParams): ScheduleStart => ({
  skript_id: params.get('start_skript_id') ?? undefined,
  worker_id: params.get('start_worker_id') ?? undefined,
  input_id: params.has('start_input_id') ? params.get('start_input_id') || null : undefined,
  inputSecret_id: params.has('start_inputSecret_id') ? params.get('start_inputSecret_id') || null : undefined,
});

export default function SchedulesRoute() {
  const path = usePanelPath();
  const navigate = useNavigate();
  const [searchParams, setSearchParams] = useSearchParams();
  const [edited, setEdited] = useState<Schedule | null>(null);
  const params = useListParams('name');
  const state = params.get('state');
  const query = useSchedules({
    ...params.query,
    name_contains: params.get('search') || undefined,
    skript_id: params.get('skript_id') || undefined,
    enabled: state === '' ? undefined : state === 'on',
  });
  const setNew = (isNew: boolean) =>
    setSearchParams(
      current => {
        const next = new URLSearchParams(current);
        for (const name of START_PARAMS) next.delete(name);
        if (isNew) next.set('new', '1');
        return next;
      },
      { replace: true },
    );
  const openRun = (id: string) => void navigate(path('skript-executions', `/${id}`));
  const schedules = query.data?.items ?? [];
  return (
    <Page
      title="Scheduler"
      description="Skripts that run on a schedule, and the outcome of each run."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setNew(true)}>
          New schedule
        </Button>
      }
    >
      {schedules.length > 0 && <WeekLanes schedules={schedules} scheduleHref={id => path('scheduler', `/${id}`)} />}
      <SchedulesTable
        query={query}
        params={params}
        scheduleHref={id => path('scheduler', `/${id}`)}
        onNew={() => setNew(true)}
        onEdit={setEdited}
        onRun={openRun}
        runHref={id => path('skript-executions', `/${id}`)}
      />
      {searchParams.has('new') && <ScheduleFormModal start={startIn(searchParams)} onClose={() => setNew(false)} />}
      {edited && <ScheduleFormModal schedule={edited} onClose={() => setEdited(null)} />}
    </Page>
  );
}
