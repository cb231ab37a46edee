import { Tabs, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconDeviceFloppy, IconPackage, IconPlayerPlayFilled } from '@tabler/icons-react';
import type { BundleProblem } from '@trawl/contracts';
import { byteSize } from '@trawl/contracts';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Skript } from '../../../api/entities.js';
import { BundleProblems, problemsOf, TypeErrors } from '../../../components/feedback/bundle-problems.js';
import { notifySuccess } from '../../../components/feedback/notify.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { type UrlParams, useUrlParams } from '../../../components/list/url-params.js';
import { Page } from '../../../components/page/page.js';
import { TabList } from '../../../components/scroll/tab-list.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { Status } from '../../../components/values/status.js';
import { useBundleSkript } from '../api/bundle-skript.js';
import { BundleState } from '../components/bundle-state.js';
import { SettingsTab } from '../components/settings-tab.js';
import { AddFilesModal } from '../dropped/add-files-modal.js';
import { DropZone, notifyUnread } from '../dropped/drop-zone.js';
import { type Dropped, readFiles } from '../dropped/read-dropped.js';
import { FilesEditor } from '../files/components/files-editor.js';
import { typeErrorsIn } from '../files/types/type-errors.js';
import { useDrafts } from '../files/use-drafts.js';
import { useReadBundled } from '../files/use-read-files.js';
import { HowtoTab } from '../howto/howto-tab.js';
import { InputSecretsTab } from '../inputs/components/input-secrets-tab.js';
import { InputsTab } from '../inputs/components/inputs-tab.js';
import { VersionFiles } from '../versions/components/version-files.js';
import { VersionsTab } from '../versions/components/versions-tab.js';
import { CURRENT, comparing, viewing } from '../versions/version-links.js';

interface SkriptEditorProps {
  skript: Skript;
  crumbs: ReactNode;
  onRun: () => void;
  isStarting: boolean;
  /** Error of the last attempt to start a run. `renderStartFailure` shows it. */
  startError: unknown;
  renderStartFailure: (onOpenProblem: (problem: BundleProblem) => void) => ReactNode;
  onDelete: () => void;
  /** Id of the run that `run` shows; empty if there is none. */
  runId: string;
  /** The run, shown below the files. */
  run: ReactNode;
}

const TABS = ['files', 'inputs', 'input-secrets', 'howto', 'versions', 'settings'] as const;

/** Returns the place that the address names as `file`, `line` and `column`; null if it names none. */
function placeIn({ get }: UrlParams): BundleProblem | null {
  const file = get('file');
  if (file === '') return null;
  return { message: '', file, line: Number(get('line')) || 1, column: Number(get('column')) || 1, line_text: null };
}

export function SkriptEditor(props: SkriptEditorProps) {
  const { skript, crumbs, onRun, isStarting, startError, renderStartFailure, onDelete, runId, run } = props;
  const params = useUrlParams();
  const tab = TABS.find(name => name === params.get('tab')) ?? 'files';
  const setTab = (name: string | null) => params.set({ tab: name === 'files' ? null : name });
  const [target, setTarget] = useState<BundleProblem | null>(null);
  const placeKey = ['file', 'line', 'column'].map(params.get).join(':');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link from the error of a run names another place.
  useEffect(() => setTarget(params.get('line') === '' ? null : placeIn(params)), [placeKey]);
  const drafts = useDrafts(skript.id);
  const readBundled = useReadBundled(skript.id);
  // A slow check may end after later changes. Only the result of the current build is shown.
  const builds = useRef(0);
  const [typeErrors, setTypeErrors] = useState<BundleProblem[]>([]);
  const [dropped, setDropped] = useState<Dropped | null>(null);
  const bundle = useBundleSkript(skript.id);
  // The address of an error names the version that ran. Its files are shown as long as the skript has others.
  const version = params.get('version');
  const isCurrent = !skript.stale && skript.bundle_hash === version;
  const viewed = isCurrent ? '' : version;
  // biome-ignore lint/correctness/useExhaustiveDependencies: changes the address once per version.
  useEffect(() => {
    if (version !== '' && isCurrent) params.set({ version: null });
  }, [version, isCurrent]);
  const problems = problemsOf(bundle.error ?? startError);

  const openProblem = (problem: BundleProblem) => {
    // The problem is in the current files.
    const { file, line, column } = problem;
    params.go({ ...viewing(null), file, line: String(line ?? ''), column: String(column ?? '') });
    // Set a new object, so that a second click on the same problem moves the editor there again.
    setTarget({ ...problem });
  };
  const save = async () => {
    bundle.reset();
    builds.current += 1;
    setTypeErrors([]);
    return drafts.saveAll();
  };
  const build = async () => {
    if (!(await save())) return;
    const number = builds.current;
    bundle.mutate(undefined, {
      onSuccess: ({ size, hash }) => {
        notifySuccess(`Bundled: ${byteSize(size)}.`);
        // They never stop a build. The types take a second to load.
        void readBundled(hash)
          .then(typeErrorsIn)
          .then(
            found => {
              if (number === builds.current) setTypeErrors(found);
            },
            () => {},
          );
      },
    });
  };
  const saveAndRun = async () => {
    if (!(await save())) return;
    if (viewed !== '') params.set(viewing(null));
    onRun();
  };
  const docked = useRef<HTMLDivElement>(null);
  const [shownRunId, setShownRunId] = useState(runId);
  useEffect(() => {
    if (runId === shownRunId) return;
    setShownRunId(runId);
    // A new run grows after it has appeared. On phones, scroll its beginning to the top, so that the result is visible.
    const block = window.matchMedia('(max-width: 48em)').matches ? 'start' : 'nearest';
    docked.current?.scrollIntoView({ block });
  }, [runId, shownRunId]);

  useHotkeys(
    [
      ['mod+S', () => void save()],
      ['mod+Enter', () => void saveAndRun()],
    ],
    [],
    true,
  );

  return (
    <Page
      title={skript.title}
      crumbs={crumbs}
      actions={
        <>
          <span role="status" className="editor-state">
            {drafts.isDirty ? <Status tone="warn" label="not saved" /> : <BundleState skript={skript} />}
          </span>
          <Tooltip label="Ctrl S">
            <FocusableButton
              variant="default"
              leftSection={<IconDeviceFloppy size={16} aria-hidden />}
              loading={drafts.isSaving}
              disabled={!drafts.isDirty}
              onClick={() => void save()}
            >
              Save
            </FocusableButton>
          </Tooltip>
          <Tooltip label="Saves the files, builds the bundle and lists its problems">
            <FocusableButton
              variant="default"
              leftSection={<IconPackage size={16} aria-hidden />}
              loading={bundle.isPending}
              onClick={() => void build()}
            >
              Bundle
            </FocusableButton>
          </Tooltip>
          <Tooltip label="Saves, bundles and runs on any worker (Ctrl Enter)">
            <FocusableButton
              leftSection={<IconPlayerPlayFilled size={15} aria-hidden />}
              loading={isStarting}
              onClick={() => void saveAndRun()}
            >
              Run
            </FocusableButton>
          </Tooltip>
        </>
      }
    >
      <Tabs value={tab} onChange={setTab} keepMounted={false} keepMountedMode="display-none">
        <TabList>
          <Tabs.Tab value="files">Files</Tabs.Tab>
          <Tabs.Tab value="inputs">Inputs</Tabs.Tab>
          <Tabs.Tab value="input-secrets">Input secrets</Tabs.Tab>
          <Tabs.Tab value="howto">Howto</Tabs.Tab>
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="files">
          {bundle.isError ? (
            <BundleProblems error={bundle.error} onOpen={openProblem} />
          ) : (
            startError !== null && renderStartFailure(openProblem)
          )}
          {typeErrors.length > 0 && <TypeErrors problems={typeErrors} onOpen={openProblem} />}
          <div className="card clip-corners workbench" data-with-run={run ? true : undefined}>
            {viewed === '' ? (
              <DropZone
                hint={`Drop files, a folder or an archive to add them to ${inReadingOrder(skript.title)}`}
                onDropped={setDropped}
              >
                <FilesEditor
                  skript={skript}
                  drafts={drafts}
                  problems={problems}
                  target={target}
                  onUpload={files => void readFiles(files).then(setDropped, notifyUnread)}
                />
              </DropZone>
            ) : (
              <VersionFiles
                key={`${viewed}:${placeKey}`}
                skriptId={skript.id}
                hash={viewed}
                place={placeIn(params)}
                isDirty={drafts.isDirty}
                onCompare={() => params.set(comparing(viewed, CURRENT))}
                onLeave={() => params.set(viewing(null))}
              />
            )}
            {run && (
              <div className="docked" ref={docked}>
                {run}
              </div>
            )}
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="inputs">
          <InputsTab skriptId={skript.id} />
        </Tabs.Panel>
        <Tabs.Panel value="input-secrets">
          <InputSecretsTab skriptId={skript.id} />
        </Tabs.Panel>
        <Tabs.Panel value="howto">
          <HowtoTab skript={skript} onEdit={file => params.set({ ...viewing(null), file })} />
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <VersionsTab skriptId={skript.id} isDirty={drafts.isDirty} />
        </Tabs.Panel>
        {/* Stays mounted, so that a look at another tab keeps what the user typed. */}
        <Tabs.Panel value="settings" keepMounted>
          <SettingsTab skript={skript} onDelete={onDelete} />
        </Tabs.Panel>
      </Tabs>
      {dropped && <AddFilesModal skript={skript} dropped={dropped} drafts={drafts} onClose={() => setDropped(null)} />}
    </Page>
  );
}
