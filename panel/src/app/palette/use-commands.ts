import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { useAccount } from '../../api/requests/get-account.js';
import { startSkript } from '../../api/start-skript.js';
import { notifyError, notifySuccess } from '../../components/feedback/notify.js';
import { useSetPreferences } from '../../components/list/preferences/set-preferences.js';
import { enableSchedule } from '../../features/scheduler/api/save-schedule.js';
import { CALLS, type Control, DONE } from '../../features/skript-executions/api/control-execution.js';
import { showShortcuts } from './shortcuts.js';

/** The commands of the palette that do more than open a page. */
export function useCommands() {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { role = '' } = useParams();
  const preferences = useAccount().data?.preferences;
  const set = useSetPreferences();
  const to = (path: string) => () => void navigate(`/${role}/${path}`);
  /** Does something to the thing `name`, then says that it is done. */
  const act = async (name: string, done: string, work: () => Promise<unknown>) => {
    try {
      await work();
      notifySuccess(`${name} is ${done}.`);
    } catch (error) {
      notifyError(`${name} could not be ${done}`, error);
    }
    await queryClient.invalidateQueries();
  };
  return {
    to,
    run: (id: string, title: string) => () =>
      void act(`The run of ${title}`, 'started', async () => to(`skript-executions/${(await startSkript(id)).id}`)()),
    enable: (id: string, name: string, enabled: boolean) => () =>
      void act(name, enabled ? 'resumed' : 'paused', () => enableSchedule(id, enabled)),
    control: (control: Control, id: string, name: string) => () =>
      void act(`The run of ${name}`, DONE[control], () => CALLS[control](id)),
    otherRows: preferences?.rows === 'comfortable' ? ('compact' as const) : ('comfortable' as const),
    setRows: (rows: 'compact' | 'comfortable') => () => set.mutate({ rows }),
    showShortcuts: () => void showShortcuts(),
  };
}
