import type { BundleProblem } from '@trawl/contracts';
import { byteSize } from '@trawl/contracts';
import { useEffect, useRef, useState } from 'react';
import type { Skript } from '../../../api/entities.js';
import { problemsOf } from '../../../components/feedback/bundle-problems.js';
import { notifySuccess } from '../../../components/feedback/notify.js';
import { type UrlParams, useUrlParams } from '../../../components/list/url-params.js';
import { useBundleSkript } from '../api/bundle-skript.js';
import { typeErrorsIn } from '../files/types/type-errors.js';
import { useDrafts } from '../files/use-drafts.js';
import { useReadBundled } from '../files/use-read-files.js';
import { viewing } from '../versions/version-links.js';

/** Returns the place that the address names as `file`, `line` and `column`; null if it names none. */
export function placeIn({ get }: UrlParams): BundleProblem | null {
  const file = get('file');
  if (file === '') return null;
  return { message: '', file, line: Number(get('line')) || 1, column: Number(get('column')) || 1, line_text: null };
}

interface Use {
  skript: Skript;
  onRun: () => void;
  /** Error of the last attempt to start a run. */
  startError: unknown;
}

/** The user's changes to a skript's code, and the problems that its build found. Both stay while another tab is open. */
export function useEditing({ skript, onRun, startError }: Use) {
  const params = useUrlParams();
  const [target, setTarget] = useState<BundleProblem | null>(null);
  const placeKey = ['file', 'line', 'column'].map(params.get).join(':');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link from the error of a run names another place.
  useEffect(() => setTarget(params.get('line') === '' ? null : placeIn(params)), [placeKey]);
  const drafts = useDrafts(skript.id);
  const readBundled = useReadBundled(skript.id);
  // A slow check may end after later changes. Only the result of the current build is shown.
  const builds = useRef(0);
  const [typeErrors, setTypeErrors] = useState<BundleProblem[]>([]);
  const bundle = useBundleSkript(skript.id);
  // The address of an error names the version that ran. Its files are shown as long as the skript has others.
  const version = params.get('version');
  const isCurrent = !skript.stale && skript.bundle_hash === version;
  const viewed = isCurrent ? '' : version;
  // biome-ignore lint/correctness/useExhaustiveDependencies: changes the address once per version.
  useEffect(() => {
    if (version !== '' && isCurrent) params.set({ version: null });
  }, [version, isCurrent]);

  const openProblem = (problem: BundleProblem) => {
    // The problem is in the current files.
    const { file, line, column } = problem;
    params.go({ ...viewing(null), file, line: String(line ?? ''), column: String(column ?? '') });
    // Set a new object, so that a second click on the same problem moves the editor there again.
    setTarget({ ...problem });
  };
  const showFiles = () => params.set(viewed === '' ? { tab: null } : viewing(null));
  const save = async () => {
    bundle.reset();
    builds.current += 1;
    setTypeErrors([]);
    const isSaved = await drafts.saveAll();
    // The editor shows what to do about a file that was changed or deleted elsewhere.
    if (!isSaved) showFiles();
    return isSaved;
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
  const saveAnd = async (start: () => void) => {
    if (!(await save())) return;
    // The run is shown below the current files.
    showFiles();
    start();
  };
  return {
    drafts,
    bundle,
    typeErrors,
    problems: problemsOf(bundle.error ?? startError),
    target,
    placeKey,
    /** Hash of the older version that is shown; empty for the current files. */
    viewed,
    openProblem,
    save,
    build,
    /** Saves the files, and then starts a run in its way if all are saved. */
    saveAnd,
    saveAndRun: () => saveAnd(onRun),
  };
}

export type Editing = ReturnType<typeof useEditing>;
