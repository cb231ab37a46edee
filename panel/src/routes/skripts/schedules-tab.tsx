import '../../styles/scheduler.css';
import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { Schedule, Skript } from '../../api/entities.js';
import { useSchedules } from '../../api/requests/list-schedules.js';
import { useListParams } from '../../components/list/list-params.js';
import { ScheduleFormModal } from '../../features/scheduler/components/schedule-form-modal.js';
import { SchedulesTable } from '../../features/scheduler/components/schedules-table.js';
import { WeekLanes } from '../../features/scheduler/components/week-lanes.js';
import { usePanelPath } from '../../session/panel-path.js';

/** Returns the title of the skript as the name of a new schedule, with a number if a schedule has that name. */
function freeName(title: string, taken: readonly Schedule[]): string {
  const names = new Set(taken.map(({ name }) => name));
  let name = title;
  for (let number = 2; names.has(name); number += 1) name = `${title} ${number}`;
  return name;
}

/** The schedules of a skript. A new one has the skript and a name already. */
export default function SchedulesTab({ skript }: { skript: Skript }) {
  const path = usePanelPath();
  const navigate = useNavigate();
  const params = useListParams('name');
  const query = useSchedules({ ...params.query, skript_id: skript.id });
  const [edited, setEdited] = useState<Schedule | null>(null);
  const setNew = (isNew: boolean) => params.set({ new: isNew ? '1' : null });
  const schedules = query.data?.items ?? [];
  const scheduleHref = (id: string) => path('scheduler', `/${id}`);
  return (
    <>
      {schedules.length > 0 && (
        <>
          <Group justify="space-between" mb="sm">
            <p className="tab-note">Each starts this skript at its times.</p>
            <Button size="sm" leftSection={<IconPlus size={15} aria-hidden />} onClick={() => setNew(true)}>
              New schedule
            </Button>
          </Group>
          <WeekLanes schedules={schedules} scheduleHref={scheduleHref} />
        </>
      )}
      <SchedulesTable
        query={query}
        params={params}
        ofSkript
        scheduleHref={scheduleHref}
        onNew={() => setNew(true)}
        onEdit={setEdited}
        onRun={id => void navigate(path('skript-executions', `/${id}`))}
        runHref={id => path('skript-executions', `/${id}`)}
      />
      {params.get('new') !== '' && query.data && (
        <ScheduleFormModal
          start={{ skript_id: skript.id, name: freeName(skript.title, schedules) }}
          onClose={() => setNew(false)}
        />
      )}
      {edited && <ScheduleFormModal schedule={edited} onClose={() => setEdited(null)} />}
    </>
  );
}
