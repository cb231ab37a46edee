import { IconPlayerPlay, IconTag, IconTrash } from '@tabler/icons-react';
import type { ListedSkript } from '../../../api/entities.js';
import { startSkript } from '../../../api/start-skript.js';
import { confirmDelete, typedCount } from '../../../components/feedback/confirm-delete.js';
import type { BulkAction } from '../../../components/list/bulk/bulk-bar.js';
import { each } from '../../../components/list/bulk/bulk-work.js';
import { deleteSkript } from '../api/delete-skript.js';
import { labelSkript } from '../api/label-skript.js';
import { openTags } from '../labels/tags-modal.js';

/** The bulk actions of skripts. `known` are the tags to choose from. */
export const skriptActions = (known: readonly string[]): BulkAction<ListedSkript>[] => [
  { label: 'Run', Icon: IconPlayerPlay, done: 'started', start: (_, go) => go(each(({ id }) => startSkript(id))) },
  {
    label: 'Tags…',
    Icon: IconTag,
    done: 'tagged',
    start: (skripts, go) =>
      void openTags(skripts, known, tagsOf => go(each(skript => labelSkript(skript.id, { tags: tagsOf(skript) })))),
  },
  {
    label: 'Delete…',
    Icon: IconTrash,
    done: 'deleted',
    start: (skripts, go) =>
      confirmDelete({
        title: skripts.length === 1 ? `Delete ${skripts[0]?.title}?` : `Delete ${skripts.length} skripts?`,
        children:
          'This permanently deletes the selected skripts with their files, versions, inputs, input secrets and schedules. Past runs and the data they stored remain. Skripts that are running are kept.',
        confirmLabel: 'Delete',
        typed: typedCount(skripts.length) ?? skripts[0]?.title,
        onConfirm: () => go(each(({ id }) => deleteSkript(id))),
      }),
  },
];
