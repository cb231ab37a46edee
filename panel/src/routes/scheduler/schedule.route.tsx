import '../../styles/scheduler.css';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { LoadFailure } from '../../components/feedback/load-failure.js';
import { PageShape } from '../../components/feedback/page-shape.js';
import { Page } from '../../components/page/page.js';
import { useSchedule } from '../../features/scheduler/api/get-schedule.js';
import { FiresTable } from '../../features/scheduler/components/fires-table.js';
import { ScheduleActions } from '../../features/scheduler/components/schedule-actions.js';
import { ScheduleFacts } from '../../features/scheduler/components/schedule-facts.js';
import { ScheduleFormModal } from '../../features/scheduler/components/schedule-form-modal.js';
import { WeekLanes } from '../../features/scheduler/components/week-lanes.js';
import { usePanelPath } from '../../session/panel-path.js';

export default function ScheduleRoute() {
  const { scheduleId = '' } = useParams();
  const path = usePanelPath();
  const navigate = useNavigate();
  const query = useSchedule(scheduleId);
  const [isEditing, setEditing] = useState(false);
  const schedule = query.data;
  const openRun = (id: string) => void navigate(path('skript-executions', `/${id}`));
  return (
    <Page
      title={schedule?.name ?? 'Schedule'}
      crumbs={<Link to={path('scheduler')}>Scheduler</Link>}
      actions={
        schedule && (
          <ScheduleActions
            schedule={schedule}
            size="sm"
            onEdit={() => setEditing(true)}
            onRun={openRun}
            onDeleted={() => void navigate(path('scheduler'))}
          />
        )
      }
    >
      {query.isError && !schedule ? (
        <LoadFailure noun="schedule" listHref={path('scheduler')} listLabel="All schedules" query={query} />
      ) : !schedule ? (
        <PageShape what="the schedule" facts={6} lines={6} />
      ) : (
        <>
          <ScheduleFacts
            schedule={schedule}
            links={{
              skript: path('skripts', `/${schedule.skript_id}`),
              runs: path('skript-executions', `?schedule_id=${schedule.id}`),
            }}
          />
          <WeekLanes schedules={[schedule]} />
          <h2 className="section-title">Fires</h2>
          <FiresTable scheduleId={schedule.id} executionHref={id => path('skript-executions', `/${id}`)} />
          {isEditing && <ScheduleFormModal schedule={schedule} onClose={() => setEditing(false)} />}
        </>
      )}
    </Page>
  );
}
