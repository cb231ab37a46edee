import { Button, Group, TagsInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import type { ListedSkript } from '../../../api/entities.js';

/** As in the API. */
const MAX_TAGS = 10;
const MAX_TAG_CHARS = 30;

/** The tags that all of the skripts have. */
const sharedBy = ([first, ...others]: readonly ListedSkript[]): string[] =>
  (first?.tags ?? []).filter(tag => others.every(({ tags }) => tags.includes(tag)));

interface TagsFormProps {
  skripts: readonly ListedSkript[];
  known: readonly string[];
  onSave: (tagsOf: (skript: ListedSkript) => string[]) => void;
}

function TagsForm({ skripts, known, onSave }: TagsFormProps) {
  const [before] = useState(() => sharedBy(skripts));
  const [tags, setTags] = useState(before);
  const save = () => {
    modals.closeAll();
    const removed = before.filter(tag => !tags.includes(tag));
    onSave(skript => [...new Set([...skript.tags.filter(tag => !removed.includes(tag)), ...tags])]);
  };
  return (
    <>
      <TagsInput
        label="Tags"
        description={
          skripts.length > 1 ? 'Tags that all selected skripts have. They keep their other tags.' : undefined
        }
        data={[...known]}
        maxTags={MAX_TAGS}
        maxLength={MAX_TAG_CHARS}
        acceptValueOnBlur
        data-autofocus
        value={tags}
        onChange={changed => setTags(changed.map(tag => tag.trim()).filter(tag => tag !== ''))}
      />
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={() => modals.closeAll()}>
          Cancel
        </Button>
        <Button onClick={save}>Save tags</Button>
      </Group>
    </>
  );
}

/** Asks for the tags of skripts. `onSave` gets a function that returns the new tags of each. */
export const openTags = (
  skripts: readonly ListedSkript[],
  known: readonly string[],
  onSave: TagsFormProps['onSave'],
): string =>
  modals.open({
    title: skripts.length === 1 ? 'Tags of one skript' : `Tags of ${skripts.length} skripts`,
    children: <TagsForm skripts={skripts} known={known} onSave={onSave} />,
  });
