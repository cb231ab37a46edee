import { Button } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { Suspense } from 'react';
import type { Skript } from '../../../api/entities.js';
import { Loading } from '../../../components/feedback/loading.js';
import { notifyError } from '../../../components/feedback/notify.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { lazyScreen } from '../../../components/lazy-screen.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useCreateSkriptFile } from '../files/api/create-skript-file.js';

const HowtoFrame = lazyScreen(() => import('./howto-frame.js'));
/** The API returns the first of them that the skript has. */
const NAMES = ['howto.html', 'howto.md'];

interface HowtoTabProps {
  skript: Skript;
  /** Opens a file in the editor. */
  onEdit: (fileName: string) => void;
}

/** The howto of a skript as it is saved, with a way to write one. */
export function HowtoTab({ skript, onEdit }: HowtoTabProps) {
  const create = useCreateSkriptFile(skript.id);
  const name = NAMES.find(one => skript.files.some(file => file.name === one));
  if (name === undefined) {
    return (
      <div className="card">
        <EmptyState
          title="No howto yet"
          action={
            <FocusableButton
              loading={create.isPending}
              onClick={() =>
                create.mutate(
                  { name: 'howto.md', content: '' },
                  {
                    onSuccess: () => onEdit('howto.md'),
                    onError: error => notifyError('howto.md could not be created', error),
                  },
                )
              }
            >
              Write howto.md
            </FocusableButton>
          }
        >
          Say what the skript does, which input it takes and what it returns. Use Markdown in howto.md, or HTML in
          howto.html.
        </EmptyState>
      </div>
    );
  }
  return (
    <div className="card">
      <div className="list-bar">
        <span className="mono">{name}</span>
        <Button
          className="bar-end"
          size="xs"
          variant="default"
          leftSection={<IconPencil size={14} aria-hidden />}
          onClick={() => onEdit(name)}
        >
          Edit
        </Button>
      </div>
      {skript.howto.trim() === '' ? (
        <p className="tab-note howto-empty">The file is empty.</p>
      ) : (
        <Suspense fallback={<Loading what="the howto" m="md" />}>
          <HowtoFrame
            title={`Howto of ${inReadingOrder(skript.title)}`}
            howto={skript.howto}
            isMarkdown={name.endsWith('.md')}
          />
        </Suspense>
      )}
    </div>
  );
}
