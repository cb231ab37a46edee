import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconFile, IconFileCode, IconFolder } from '@tabler/icons-react';
import { fileTree, type TreeEntry, type TreeFile } from '../file-tree.js';

interface FileTreeProps {
  files: readonly TreeFile[];
  openId: string;
  /** Ids of files with unsaved changes. */
  unsaved: ReadonlySet<string>;
  onOpen: (id: string) => void;
  /** Changes of a file; missing if the files are read only. */
  changes?: { onRename: (file: TreeFile) => void; onDelete: (file: TreeFile) => void };
}

type FileMenuProps = NonNullable<FileTreeProps['changes']> & { file: TreeFile };

function FileMenu({ file, onRename, onDelete }: FileMenuProps) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`More for ${file.name}`}>
          <IconDots size={14} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onRename(file)}>Rename…</Menu.Item>
        <Menu.Item color="red" onClick={() => onDelete(file)}>
          Delete…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Entries({ entries, ...props }: { entries: TreeEntry[] } & FileTreeProps) {
  return (
    <ul className="tree">
      {entries.map(entry => (
        <li key={entry.path}>
          {entry.kind === 'folder' ? (
            <>
              <span className="tree-folder">
                <IconFolder size={15} aria-hidden />
                {entry.label}
              </span>
              <Entries {...props} entries={entry.children} />
            </>
          ) : (
            <div className="tree-row" data-open={entry.id === props.openId || undefined}>
              <button
                type="button"
                className="tree-file"
                aria-current={entry.id === props.openId || undefined}
                title={entry.path}
                onClick={() => props.onOpen(entry.id)}
              >
                {/\.[cm]?js$/.test(entry.label) ? (
                  <IconFileCode size={15} aria-hidden />
                ) : (
                  <IconFile size={15} aria-hidden />
                )}
                <span>{entry.label}</span>
                {props.unsaved.has(entry.id) && <i className="unsaved-dot" role="img" aria-label="not saved" />}
              </button>
              {props.changes && <FileMenu {...props.changes} file={{ id: entry.id, name: entry.path }} />}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

export function FileTree(props: FileTreeProps) {
  return <Entries {...props} entries={fileTree(props.files)} />;
}
