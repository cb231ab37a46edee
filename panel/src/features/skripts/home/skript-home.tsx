import { Tabs, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconDeviceFloppy, IconPackage, IconPlayerPlayFilled } from '@tabler/icons-react';
import type { BundleProblem } from '@trawl/contracts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Skript } from '../../../api/entities.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { useUrlParams } from '../../../components/list/url-params.js';
import { Page } from '../../../components/page/page.js';
import { TabList } from '../../../components/scroll/tab-list.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { Status } from '../../../components/values/status.js';
import { BundleState } from '../components/bundle-state.js';
import { SettingsTab } from '../components/settings-tab.js';
import { CodeView } from '../editor/code-view.js';
import { type Editing, useEditing } from '../editor/use-editing.js';
import { HowtoTab } from '../howto/howto-tab.js';
import { InputSecretsTab } from '../inputs/components/input-secrets-tab.js';
import { InputsTab } from '../inputs/components/inputs-tab.js';
import { VersionsTab } from '../versions/components/versions-tab.js';
import { viewing } from '../versions/version-links.js';
import { TABS, type Tab, type TabName, useSkriptTab, type ViewName } from './skript-tabs.js';

interface SkriptHomeProps {
  skript: Skript;
  crumbs: ReactNode;
  /** Last result, next run and rows, beside the title. */
  facts: ReactNode;
  /** The menu of further actions. */
  menu: ReactNode;
  onRun: () => void;
  /** Returns the button that runs the files against a record. `saveAnd` saves them before. */
  renderReplay: (saveAnd: Editing['saveAnd']) => ReactNode;
  /** Name of the saved input with which `onRun` runs the skript. */
  inputName: string | null;
  isStarting: boolean;
  /** Error of the last attempt to start a run. `renderStartFailure` shows it. */
  startError: unknown;
  renderStartFailure: (onOpenProblem: (problem: BundleProblem) => void) => ReactNode;
  runProblem: BundleProblem | null;
  onDelete: () => void;
  /** Id of the run that `run` shows; empty if there is none. */
  runId: string;
  /** The run, shown below the files. */
  run: ReactNode;
  /** The tabs of other features. */
  panels: Record<Exclude<TabName, 'code' | 'settings'>, ReactNode>;
}

interface ViewsProps {
  tab: Tab;
  view: ViewName;
  hrefOf: (view: ViewName) => string;
}

/** Links to the views of a tab. */
function Views({ tab, view, hrefOf }: ViewsProps) {
  return (
    <nav className="views" aria-label={tab.label}>
      {tab.views.map(({ name, label }) => (
        <Link key={name} to={hrefOf(name)} aria-current={name === view ? 'page' : undefined}>
          {label}
        </Link>
      ))}
    </nav>
  );
}

interface CodeButtonsProps {
  skript: Skript;
  editing: Editing;
  replay: ReactNode;
}

function CodeButtons({ skript, editing: { drafts, save, build, bundle }, replay }: CodeButtonsProps) {
  return (
    <>
      <span role="status" className="editor-state">
        {drafts.isDirty ? <Status tone="warn" label="not saved" /> : <BundleState skript={skript} />}
      </span>
      <Tooltip label="Ctrl S">
        <FocusableButton
          size="xs"
          variant="default"
          leftSection={<IconDeviceFloppy size={15} aria-hidden />}
          loading={drafts.isSaving}
          disabled={!drafts.isDirty}
          onClick={() => void save()}
        >
          Save
        </FocusableButton>
      </Tooltip>
      <Tooltip label="Saves the files, builds the bundle and lists its problems">
        <FocusableButton
          size="xs"
          variant="default"
          leftSection={<IconPackage size={15} aria-hidden />}
          loading={bundle.isPending}
          onClick={() => void build()}
        >
          Bundle
        </FocusableButton>
      </Tooltip>
      {replay}
    </>
  );
}

/** Both keys open the files, which would close a form of another tab. */
const isDialogOpen = (): boolean => document.querySelector('[role=dialog][aria-modal=true]') !== null;

/** Everything about one skript: its code, runs, data, schedules, alerts and settings. */
export function SkriptHome(props: SkriptHomeProps) {
  const {
    skript,
    crumbs,
    facts,
    menu,
    onRun,
    inputName,
    isStarting,
    startError,
    renderStartFailure,
    runProblem,
    panels,
  } = props;
  const params = useUrlParams();
  const { tab, view, open, hrefOf } = useSkriptTab();
  const withInput = inputName === null ? 'without input' : `with ${inReadingOrder(inputName)}`;
  const editing = useEditing({ skript, onRun, startError });
  const { drafts, save, saveAndRun, openProblem } = editing;

  useHotkeys(
    [
      ['mod+S', () => isDialogOpen() || void save()],
      ['mod+Enter', () => isDialogOpen() || void saveAndRun()],
    ],
    [],
    true,
  );

  return (
    <Page
      title={skript.title}
      crumbs={crumbs}
      facts={facts}
      actions={
        <>
          <Tooltip label={`Saves, bundles and runs ${withInput} on any worker (Ctrl Enter)`}>
            <FocusableButton
              leftSection={<IconPlayerPlayFilled size={15} aria-hidden />}
              loading={isStarting}
              onClick={() => void saveAndRun()}
            >
              Run
            </FocusableButton>
          </Tooltip>
          {menu}
        </>
      }
    >
      <Tabs
        className="skript-tabs"
        value={tab.name}
        onChange={name => open(name as TabName)}
        keepMounted={false}
        keepMountedMode="display-none"
      >
        <div className="skript-bar">
          <TabList mb={-1}>
            {TABS.map(({ name, label }) => (
              <Tabs.Tab key={name} value={name}>
                {label}
              </Tabs.Tab>
            ))}
          </TabList>
          {tab.views.length > 1 && <Views tab={tab} view={view} hrefOf={hrefOf} />}
          {view === 'files' && (
            <CodeButtons skript={skript} editing={editing} replay={props.renderReplay(editing.saveAnd)} />
          )}
        </div>
        <Tabs.Panel value="code">
          {view === 'howto' ? (
            <HowtoTab skript={skript} onEdit={file => params.set({ ...viewing(null), file })} />
          ) : view === 'versions' ? (
            <VersionsTab skriptId={skript.id} isDirty={drafts.isDirty} />
          ) : (
            <CodeView
              skript={skript}
              editing={editing}
              startFailure={startError !== null && renderStartFailure(openProblem)}
              runProblem={runProblem}
              runId={props.runId}
              run={props.run}
            />
          )}
        </Tabs.Panel>
        {(['runs', 'data', 'schedules', 'alerts'] as const).map(name => (
          <Tabs.Panel key={name} value={name}>
            {tab.name === name && panels[name]}
          </Tabs.Panel>
        ))}
        {/* Stays mounted, so that a look at another tab keeps what the user typed. */}
        <Tabs.Panel value="settings" keepMounted>
          {view === 'inputs' && <InputsTab skriptId={skript.id} />}
          {view === 'input-secrets' && <InputSecretsTab skriptId={skript.id} />}
          <div hidden={view === 'inputs' || view === 'input-secrets'}>
            <SettingsTab skript={skript} onDelete={props.onDelete} />
          </div>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
