import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useState } from 'react';
import { notifyError } from '../../../components/feedback/notify.js';
import { type Dropped, readDropped } from './read-dropped.js';

interface DropZoneProps {
  /** Hint for what to drop here, shown during a drag. */
  hint: string;
  /** Takes a single file instead of `onDropped`, before it is read. Returns false if it does not. */
  onFile?: (file: File) => boolean;
  onDropped: (dropped: Dropped) => void | Promise<void>;
  children: ReactNode;
}

export const notifyUnread = (error: unknown): void => notifyError('The files could not be read', error);

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

/** Takes folders, files and archives that are dropped on its content. */
export function DropZone({ hint, onFile, onDropped, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const take = async (transfer: DataTransfer) => {
    const [file, ...others] = transfer.files;
    if (file && others.length === 0 && onFile?.(file)) return;
    try {
      await onDropped(await readDropped(transfer));
    } catch (error) {
      notifyUnread(error);
    }
  };
  const over = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setOver(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a button does the same for the keyboard.
    <div
      className="drop-zone"
      onDragEnterCapture={over}
      onDragOverCapture={over}
      onDragLeave={event => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      // In the capture phase, because the code editor would insert the file's text.
      onDropCapture={event => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        event.stopPropagation();
        setOver(false);
        void take(event.dataTransfer);
      }}
    >
      {children}
      {isOver && (
        <div className="drop-hint">
          <p>
            <IconUpload size={18} aria-hidden />
            {hint}
          </p>
        </div>
      )}
    </div>
  );
}
