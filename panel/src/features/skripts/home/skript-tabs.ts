import { useSearchParams } from 'react-router';

/** The tabs of a skript. Each has views, which the address names as `tab`; the first view of a tab is its main one. */
export const TABS = [
  {
    name: 'code',
    label: 'Code',
    views: [
      { name: 'files', label: 'Files' },
      { name: 'howto', label: 'Howto' },
      { name: 'versions', label: 'Versions' },
    ],
  },
  { name: 'runs', label: 'Runs', views: [{ name: 'runs', label: 'Runs' }] },
  {
    name: 'data',
    label: 'Data',
    views: [
      { name: 'data', label: 'Rows' },
      { name: 'items', label: 'Items' },
    ],
  },
  { name: 'schedules', label: 'Schedules', views: [{ name: 'schedules', label: 'Schedules' }] },
  { name: 'alerts', label: 'Alerts', views: [{ name: 'alerts', label: 'Alerts' }] },
  {
    name: 'settings',
    label: 'Settings',
    views: [
      { name: 'settings', label: 'General' },
      { name: 'inputs', label: 'Inputs' },
      { name: 'input-secrets', label: 'Input secrets' },
    ],
  },
] as const;

export type Tab = (typeof TABS)[number];
export type TabName = Tab['name'];
export type ViewName = Tab['views'][number]['name'];

const HOME: ViewName = 'files';
/** Parameters of the tab Code, which stay when another tab opens. Other parameters belong to the list of one tab. */
const KEPT = ['file', 'line', 'column', 'version', 'execution_id'];

/** Returns the parameters of the address that opens a view. */
export function viewParams(current: URLSearchParams, view: ViewName): URLSearchParams {
  const next = new URLSearchParams(view === HOME ? {} : { tab: view });
  for (const name of KEPT) if (current.has(name)) next.set(name, current.get(name) ?? '');
  return next;
}

interface SkriptTab {
  tab: Tab;
  view: ViewName;
  /** Opens the main view of a tab, so that the Back button returns. */
  open: (tab: TabName) => void;
  hrefOf: (view: ViewName) => string;
}

/** The tab and view in the address. */
export function useSkriptTab(): SkriptTab {
  const [params, setParams] = useSearchParams();
  const wanted = params.get('tab') ?? HOME;
  const isView = ({ name }: { name: string }) => name === wanted;
  const tab = TABS.find(({ views }) => views.some(isView)) ?? TABS[0];
  return {
    tab,
    view: tab.views.find(isView)?.name ?? HOME,
    open: name => setParams(viewParams(params, (TABS.find(one => one.name === name) ?? TABS[0]).views[0].name)),
    hrefOf: view => `?${viewParams(params, view)}`,
  };
}
