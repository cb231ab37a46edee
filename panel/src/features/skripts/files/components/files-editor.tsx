import { ActionIcon, Alert, Button, FileButton } from '@mantine/core';
import { IconPlus, IconUpload } from '@tabler/icons-react';
import type { BundleProblem } from '@trawl/contracts';
import { Suspense, useMemo, useState } from 'react';
import type { Skript } from '../../../../api/entities.js';
import { confirmDelete } from '../../../../components/feedback/confirm-delete.js';
import { Loading } from '../../../../components/feedback/loading.js';
import { notifyError } from '../../../../components/feedback/notify.js';
import { EmptyState, ErrorState } from '../../../../components/feedback/states.js';
import { FocusableButton } from '../../../../components/focusable-button.js';
import { lazyScreen } from '../../../../components/lazy-screen.js';
import { inReadingOrder } from '../../../../components/values/in-reading-order.js';
import { useCreateSkriptFile } from '../api/create-skript-file.js';
import { useDeleteSkriptFile } from '../api/delete-skript-file.js';
import { useSkriptFile } from '../api/get-skript-file.js';
import { useUpdateSkriptFile } from '../api/update-skript-file.js';
import type { TreeFile } from '../file-tree.js';
import type { Drafts } from '../use-drafts.js';
import { useOpenFile } from '../use-open-file.js';
import { useReadFiles } from '../use-read-files.js';
import { ConflictModal } from './conflict-modal.js';
import { DeletedFileModal } from './deleted-file-modal.js';
import { FileNameModal } from './file-name-modal.js';
import { FileTree } from './file-tree.js';

const CodeEditor = lazyScreen(() => import('./code-editor.js'));

interface FilesEditorProps {
  skript: Skript;
  drafts: Drafts;
  problems: readonly BundleProblem[];
  /** The problem that the user clicked last. */
  target: BundleProblem | null;
  /** Adds chosen files to the skript. */
  onUpload: (files: File[]) => void;
}

type Naming = { kind: 'new' } | { kind: 'rename'; file: TreeFile };

export function FilesEditor({ skript, drafts, problems, target, onUpload }: FilesEditorProps) {
  const { open, missingName, openFile, closeFile } = useOpenFile(skript);
  const [naming, setNaming] = useState<Naming | null>(null);
  const create = useCreateSkriptFile(skript.id);
  const update = useUpdateSkriptFile();
  const remove = useDeleteSkriptFile();

  const query = useSkriptFile(open?.id ?? '');
  const saved = query.data;
  const unsaved = useMemo(() => new Set(drafts.drafted.keys()), [drafts.drafted]);
  const ownProblems = useMemo(() => problems.filter(({ file }) => file === open?.name), [problems, open?.name]);
  const goTo = useMemo(
    () => (target && target.file === open?.name ? { line: target.line ?? 1, column: target.column ?? 1 } : null),
    [target, open?.name],
  );

  const readAllBut = useReadFiles(skript, drafts);

  const confirmDeletion = (file: TreeFile) =>
    confirmDelete({
      title: `Delete ${file.name}?`,
      children: 'This permanently deletes the file.',
      confirmLabel: 'Delete file',
      onConfirm: () =>
        remove.mutate(file.id, {
          onSuccess: () => {
            drafts.forget(file.id);
            closeFile(file);
          },
        }),
    });

  return (
    <div className="files">
      <div className="files-side">
        <div className="files-head">
          <h2>Files</h2>
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconPlus size={13} aria-hidden />}
            onClick={() => setNaming({ kind: 'new' })}
          >
            New file
          </Button>
          <FileButton multiple onChange={onUpload}>
            {props => (
              <ActionIcon
                {...props}
                size="sm"
                variant="subtle"
                color="gray"
                aria-label="Upload files"
                title="Upload files"
              >
                <IconUpload size={14} aria-hidden />
              </ActionIcon>
            )}
          </FileButton>
        </div>
        <FileTree
          files={skript.files}
          openId={open?.id ?? ''}
          unsaved={unsaved}
          onOpen={id => {
            const file = skript.files.find(one => one.id === id);
            if (file) openFile(file);
          }}
          changes={{ onRename: file => setNaming({ kind: 'rename', file }), onDelete: confirmDeletion }}
        />
      </div>
      <div className="files-code">
        {missingName !== null && (
          <Alert
            role="alert"
            color="yellow"
            variant="light"
            title={`This skript has no file ${inReadingOrder(missingName)}`}
          />
        )}
        {!open ? (
          <EmptyState
            title="This skript has no files"
            action={
              <FocusableButton
                loading={create.isPending}
                onClick={() =>
                  create.mutate(
                    { name: 'main.js', content: '' },
                    { onError: error => notifyError('main.js was not created', error) },
                  )
                }
              >
                Create main.js
              </FocusableButton>
            }
          >
            Every skript needs a main.js that exports one function, or a main.ts.
          </EmptyState>
        ) : query.isError ? (
          <ErrorState
            inset
            what={`${open.name} could not be loaded`}
            error={query.error}
            onRetry={() => query.refetch()}
          />
        ) : saved ? (
          <Suspense fallback={<Loading what="the editor" m="md" />}>
            <CodeEditor
              key={open.id}
              fileName={open.name}
              value={drafts.drafted.get(open.id)?.content ?? saved.content}
              onChange={content => drafts.change(saved, content)}
              readOthers={() => readAllBut(open.id)}
              problems={ownProblems}
              goTo={goTo}
            />
          </Suspense>
        ) : (
          <Loading what={open.name} m="md" />
        )}
      </div>
      {drafts.conflict && (
        <ConflictModal
          key={drafts.conflict.saved.hash}
          conflict={drafts.conflict}
          onResolve={content => void drafts.resolve(content)}
          onLater={drafts.postpone}
          readOthers={() => readAllBut(drafts.conflict?.saved.id)}
        />
      )}
      {drafts.deleted && (
        <DeletedFileModal
          key={drafts.deleted.fileId}
          skriptId={skript.id}
          draft={drafts.deleted.draft}
          onSaved={file => {
            if (drafts.deleted) drafts.forget(drafts.deleted.fileId);
            openFile(file);
          }}
          onDiscard={() => drafts.deleted && drafts.forget(drafts.deleted.fileId)}
          onLater={drafts.postpone}
        />
      )}
      {naming?.kind === 'new' && (
        <FileNameModal
          title="New file"
          confirmLabel="Create file"
          initialName=""
          onClose={() => setNaming(null)}
          onSubmit={async name => openFile(await create.mutateAsync({ name, content: '' }))}
        />
      )}
      {naming?.kind === 'rename' && (
        <FileNameModal
          title={`Rename ${naming.file.name}`}
          confirmLabel="Rename"
          initialName={naming.file.name}
          onClose={() => setNaming(null)}
          onSubmit={async name => {
            await update.mutateAsync({ fileId: naming.file.id, name });
          }}
        />
      )}
    </div>
  );
}
