import { Alert, Button, Group, Select } from '@mantine/core';
import { useForm } from '@mantine/form';
import { SKRIPT_TEMPLATES, type SkriptTemplateName } from '@trawl/contracts';
import { Navigate } from 'react-router';
import { ApiError } from '../../../api/api-error.js';
import { fieldMessages, isAtFields } from '../../../api/field-messages.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { useCreateSkript } from '../api/create-skript.js';
import { NEW_SKRIPT, SKRIPT_LABELS, SkriptFields, type SkriptForm, skriptRules } from './skript-fields.js';

const TEMPLATES = Object.entries(SKRIPT_TEMPLATES).map(([value, { does }]) => ({
  value: value as SkriptTemplateName,
  label: `${value}: ${does}`,
}));

/** The panel uploads a new skript as an archive, so the API's message is about replacing a skript by an upload. */
const isTitleTaken = (error: unknown): boolean => error instanceof ApiError && error.code === 'title_taken';

interface NewSkriptModalProps {
  onClose: () => void;
  editorHref: (skriptId: string) => string;
}

export function NewSkriptModal({ onClose, editorHref }: NewSkriptModalProps) {
  const create = useCreateSkript();
  const form = useForm<SkriptForm & { template: SkriptTemplateName }>({
    initialValues: { ...NEW_SKRIPT, template: 'plain' },
    validate: skriptRules,
  });

  const submit = form.onSubmit(({ title, description, category, environment, polite, template }) =>
    create.mutate(
      { body: { title: title.trim(), description, category, environment, polite }, template },
      {
        onError: error =>
          form.setErrors(
            isTitleTaken(error)
              ? { title: `You already have a skript titled “${title.trim()}”. Choose another title.` }
              : fieldMessages(error, SKRIPT_LABELS),
          ),
      },
    ),
  );

  if (create.isSuccess) return <Navigate to={editorHref(create.data.id)} />;
  return (
    <FormModal
      isDirty={form.isDirty()}
      kept={{ input: form.values, restore: form.setValues }}
      onClose={onClose}
      title="New skript"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close without creating' }}
    >
      {close => (
        <form onSubmit={submit}>
          <SkriptFields form={form} withAll={false} />
          <Select
            label="Template"
            description="The files and the input that the skript begins with"
            data={TEMPLATES}
            allowDeselect={false}
            mb="md"
            {...form.getInputProps('template')}
            onChange={(template: SkriptTemplateName | null) =>
              template && form.setValues({ template, environment: SKRIPT_TEMPLATES[template].environment })
            }
          />
          {create.isError && (
            <Alert role="alert" color="red" variant="light" mb="md" title="The skript was not created">
              {!isTitleTaken(create.error) && !isAtFields(create.error, SKRIPT_LABELS) && (
                <MessageText of={create.error} />
              )}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <FocusableButton type="submit" loading={create.isPending}>
              Create skript
            </FocusableButton>
          </Group>
        </form>
      )}
    </FormModal>
  );
}
