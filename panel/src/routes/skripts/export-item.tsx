import { Menu } from '@mantine/core';
import { Link } from 'react-router';
import { exportPath, usePlaces } from '../../components/runs/target-place.js';
import { chosenTarget, useWrittenData } from '../../features/skripts/data/written-data.js';
import { usePanelPath } from '../../session/panel-path.js';

/** Leads to the form that exports what the runs of a skript wrote last. */
export function ExportItem({ skriptId }: { skriptId: string }) {
  const path = usePanelPath();
  const targets = useWrittenData(skriptId).data?.items ?? [];
  const { placeOf } = usePlaces(targets);
  const target = chosenTarget(targets, '', skriptId);
  const place = target ? placeOf(target) : null;
  return place ? (
    <Menu.Item component={Link} to={path('exporters', exportPath(place))}>
      Export its rows…
    </Menu.Item>
  ) : (
    <Menu.Item disabled>Export its rows…</Menu.Item>
  );
}
