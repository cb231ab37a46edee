import { Alert, Button, Group } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldErrors, messageOf } from '../../../api/api-error.js';
import type { Skript } from '../../../api/entities.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { CopyId } from '../../../components/values/copy-id.js';
import { useUpdateSkript } from '../api/update-skript.js';
import { SkriptFields, skriptRules } from './skript-fields.js';

interface SettingsTabProps {
  skript: Skript;
  onDelete: () => void;
}

export function SettingsTab({ skript, onDelete }: SettingsTabProps) {
  const update = useUpdateSkript(skript.id);
  const form = useForm({
    initialValues: {
      title: skript.title,
      description: skript.description,
      category: skript.category,
      environment: skript.environment,
      worker_response_timeout: skript.worker_response_timeout,
      time_limit_ms: skript.time_limit_ms,
      warm: skript.warm,
      retries: skript.retries,
      retry_delay_ms: skript.retry_delay_ms,
      thumbnail: skript.thumbnail,
    },
    validate: skriptRules,
  });
  const submit = form.onSubmit(values =>
    update.mutate(values, {
      onSuccess: () => form.resetDirty(),
      onError: error => form.setErrors(fieldErrors(error)),
    }),
  );

  return (
    <div className="settings">
      <form className="card settings-form" onSubmit={submit}>
        <SkriptFields form={form} withAll />
        {update.isError && (
          <Alert role="alert" color="red" variant="light" mb="md" title="The settings were not saved">
            {messageOf(update.error)}
          </Alert>
        )}
        <FocusableButton type="submit" loading={update.isPending} disabled={!form.isDirty()}>
          Save settings
        </FocusableButton>
      </form>
      <section className="card settings-form" aria-label="Skript ID and deletion">
        <Group justify="space-between">
          <div>
            <span className="cell-sub">Skript ID</span>
            <CopyId id={skript.id} of={skript.title} />
          </div>
          <Button color="red" variant="outline" onClick={onDelete}>
            Delete this skript
          </Button>
        </Group>
      </section>
    </div>
  );
}
