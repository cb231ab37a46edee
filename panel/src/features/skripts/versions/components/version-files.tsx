import { Alert, Button, Group } from '@mantine/core';
import { type BundleProblem, LIMITS } from '@trawl/contracts';
import { Suspense, useState } from 'react';
import { useVersion } from '../../../../api/requests/get-skript.js';
import { Loading } from '../../../../components/feedback/loading.js';
import { ErrorState } from '../../../../components/feedback/states.js';
import { FocusableButton } from '../../../../components/focusable-button.js';
import { lazyScreen } from '../../../../components/lazy-screen.js';
import { timeWords } from '../../../../components/values/time-text.js';
import { versionText } from '../../../../components/values/version-text.js';
import { FileTree } from '../../files/components/file-tree.js';
import { useRestore } from '../use-restore.js';

const ReadOnlyCode = lazyScreen(() => import('./read-only-code.js'));
const NONE = new Set<string>();

interface VersionFilesProps {
  skriptId: string;
  hash: string;
  /** The file and line to show first; null for main.js. */
  place: BundleProblem | null;
  /** True if the editor has unsaved changes. Then the version cannot be restored. */
  isDirty: boolean;
  onCompare: () => void;
  /** Leads back to the files as they are now. */
  onLeave: () => void;
}

/** The files of a version, to read. The user can restore them. */
export function VersionFiles({ skriptId, hash, place, isDirty, onCompare, onLeave }: VersionFilesProps) {
  const query = useVersion(skriptId, hash);
  const [chosen, setChosen] = useState(place?.file ?? 'main.js');
  const { ask, restoring } = useRestore(skriptId, onLeave);
  const version = query.data;
  const open = version?.files.find(({ name }) => name === chosen) ?? version?.files[0];
  return (
    <>
      <Alert
        className="version-bar"
        color="yellow"
        variant="light"
        role="status"
        title={
          version
            ? `You see version ${versionText(version.number, version.hash)} of ${timeWords(version.built_at)}`
            : 'You see an earlier version'
        }
      >
        {query.isError
          ? `Trawl keeps the latest ${LIMITS.versionsPerSkript} versions of a skript, fewer if they are large.`
          : 'These files are read only. The skript has changed since.'}
        {isDirty && ' Save your changes before you restore this version.'}
        <Group gap="xs" mt="sm">
          <Button size="xs" variant="default" onClick={onLeave}>
            Show the current files
          </Button>
          <Button size="xs" variant="default" onClick={onCompare} disabled={!version}>
            Compare with the current files
          </Button>
          <FocusableButton
            size="xs"
            disabled={!version || isDirty}
            loading={restoring !== null}
            onClick={() => version && ask(version)}
          >
            Restore this version
          </FocusableButton>
        </Group>
      </Alert>
      {query.isError ? (
        <div className="version-error">
          <ErrorState
            inset
            what="The version could not be loaded"
            error={query.error}
            onRetry={() => query.refetch()}
          />
        </div>
      ) : !version || !open ? (
        <Loading what="the version" m="md" />
      ) : (
        <div className="files">
          <div className="files-side">
            <div className="files-head">
              <h2>Files</h2>
            </div>
            <FileTree
              files={version.files.map(({ name }) => ({ id: name, name }))}
              openId={open.name}
              unsaved={NONE}
              onOpen={setChosen}
            />
          </div>
          <div className="files-code">
            <Suspense fallback={<Loading what="the editor" m="md" />}>
              <ReadOnlyCode
                key={open.name}
                fileName={open.name}
                value={open.content}
                line={place?.file === open.name ? place.line : null}
              />
            </Suspense>
          </div>
        </div>
      )}
    </>
  );
}
