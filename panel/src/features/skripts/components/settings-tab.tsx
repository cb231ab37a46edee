import { Alert, Button, Group } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import type { Skript } from '../../../api/entities.js';
import { fieldMessages, isAtFields } from '../../../api/field-messages.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { keptDraft, useKeptDraft } from '../../../components/unsaved/use-kept-draft.js';
import { CopyId } from '../../../components/values/copy-id.js';
import { useUpdateSkript } from '../api/update-skript.js';
import { ContractCard } from './contract/contract-card.js';
import { SKRIPT_LABELS, SkriptFields, type SkriptForm, skriptRules } from './skript-fields.js';

interface SettingsTabProps {
  skript: Skript;
  onDelete: () => void;
}

const settingsOf = (skript: Skript): SkriptForm => ({
  title: skript.title,
  description: skript.description,
  category: skript.category,
  environment: skript.environment,
  worker_response_timeout: skript.worker_response_timeout,
  time_limit_ms: skript.time_limit_ms,
  warm: skript.warm,
  keep_exchanges: skript.keep_exchanges,
  polite: skript.polite,
  proxy: skript.proxy,
  retries: skript.retries,
  retry_delay_ms: skript.retry_delay_ms,
  record: skript.record,
  thumbnail: skript.thumbnail,
});

export function SettingsTab({ skript, onDelete }: SettingsTabProps) {
  const update = useUpdateSkript(skript.id);
  const draftKey = `settings-${skript.id}`;
  const [kept] = useState(() => keptDraft<SkriptForm>(draftKey));
  const form = useForm({ initialValues: settingsOf(skript), validate: skriptRules });
  const isDirty = form.isDirty();
  useKeptDraft(draftKey, isDirty ? form.values : null, 'Your changes to the settings');
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new version of the skript changes the form.
  useEffect(() => {
    if (isDirty) return;
    form.setInitialValues(settingsOf(skript));
    form.reset();
  }, [skript]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads the kept draft once.
  useEffect(() => {
    if (kept) form.setValues(kept);
  }, []);
  const submit = form.onSubmit(values =>
    update.mutate(values, {
      onSuccess: () => form.resetDirty(),
      onError: error => form.setErrors(fieldMessages(error, SKRIPT_LABELS)),
    }),
  );

  return (
    <div className="settings">
      <form className="card settings-form" onSubmit={submit}>
        <SkriptFields form={form} withAll />
        {update.isError && (
          <Alert role="alert" color="red" variant="light" mb="md" title="The settings were not saved">
            {!isAtFields(update.error, SKRIPT_LABELS) && <MessageText of={update.error} />}
          </Alert>
        )}
        <FocusableButton type="submit" loading={update.isPending} disabled={!isDirty}>
          Save settings
        </FocusableButton>
      </form>
      <ContractCard skript={skript} />
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
