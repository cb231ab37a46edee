import { ActionIcon, Autocomplete, Button, Checkbox, Group, NumberInput, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconX } from '@tabler/icons-react';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { useCreateIndex } from '../api/indexes.js';
import { useFieldShares } from '../api/list-documents.js';

const KINDS = [
  { value: '1', label: 'ascending' },
  { value: '-1', label: 'descending' },
  { value: 'text', label: 'words of a text' },
  { value: '2dsphere', label: 'places on a map' },
  { value: 'hashed', label: 'hashed' },
];

interface IndexModalProps {
  databaseId: string;
  collection: string;
  onClose: () => void;
}

/** Builds an index over one or more fields. */
export function IndexModal({ databaseId, collection, onClose }: IndexModalProps) {
  const create = useCreateIndex(databaseId, collection);
  const fields = [...(useFieldShares(databaseId, collection, undefined).data?.filled.keys() ?? [])];
  const form = useForm({
    initialValues: {
      keys: [{ field: '', kind: '1' }],
      name: '',
      unique: false,
      sparse: false,
      expires: '' as number | string,
    },
    validate: { keys: { field: field => (field.trim() === '' ? 'Enter a field' : null) } },
  });
  const { keys } = form.values;
  const submit = form.onSubmit(({ name, unique, sparse, expires }) =>
    create.mutate(
      {
        keys: Object.fromEntries(
          keys.map(({ field, kind }) => [field.trim(), /^-?1$/.test(kind) ? Number(kind) : kind]),
        ),
        unique,
        sparse,
        ...(name.trim() === '' ? {} : { name: name.trim() }),
        ...(keys.length > 1 || expires === '' ? {} : { expire_after_s: Number(expires) }),
      },
      { onSuccess: onClose },
    ),
  );
  return (
    <FormModal
      isDirty={form.isDirty()}
      kept={{ input: form.values, restore: form.setValues }}
      onClose={onClose}
      title="New index"
      closeButtonProps={{ 'aria-label': 'Close without creating' }}
    >
      {close => (
        <form onSubmit={submit}>
          <p className="tab-note">
            An index makes filters and sorting by its fields fast. The order of the fields matters: first those that you
            filter by, then those that you sort by.
          </p>
          {keys.map((_, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the fields have no identity but their position.
            <Group key={position} align="flex-start" gap="xs" mt="sm" wrap="nowrap">
              <Autocomplete
                className="grow-all"
                label={position === 0 ? 'Field' : undefined}
                aria-label={`Field ${position + 1}`}
                placeholder="price"
                data={fields}
                data-autofocus={position === 0 || undefined}
                {...form.getInputProps(`keys.${position}.field`)}
              />
              <Select
                w={170}
                label={position === 0 ? 'Order' : undefined}
                aria-label={`Order of field ${position + 1}`}
                data={KINDS}
                allowDeselect={false}
                {...form.getInputProps(`keys.${position}.kind`)}
              />
              {keys.length > 1 && (
                <ActionIcon
                  mt={position === 0 ? 28 : 4}
                  variant="subtle"
                  color="gray"
                  onClick={() => form.removeListItem('keys', position)}
                  aria-label={`Remove field ${position + 1}`}
                >
                  <IconX size={16} aria-hidden />
                </ActionIcon>
              )}
            </Group>
          ))}
          <Button
            mt="xs"
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => form.insertListItem('keys', { field: '', kind: '1' })}
          >
            Add a field
          </Button>
          <TextInput
            mt="md"
            label="Name"
            description="Leave blank for a name made of the fields."
            {...form.getInputProps('name')}
          />
          <Checkbox
            mt="md"
            label="Unique: refuse documents with the same values as another"
            {...form.getInputProps('unique', { type: 'checkbox' })}
          />
          <Checkbox
            mt="xs"
            label="Leave out documents that have none of the fields"
            {...form.getInputProps('sparse', { type: 'checkbox' })}
          />
          {keys.length === 1 && (
            <NumberInput
              mt="md"
              label="Delete documents after (seconds)"
              description="Counted from the date in the field. Leave blank to keep the documents."
              min={0}
              max={2_147_483_647}
              allowDecimal={false}
              thousandSeparator=","
              {...form.getInputProps('expires')}
            />
          )}
          <ModalActions request={create} failure="The index was not built" onCancel={close} type="submit">
            Build index
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
