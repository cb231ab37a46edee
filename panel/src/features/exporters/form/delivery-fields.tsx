import { Alert, Checkbox, PasswordInput, Radio, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { Exporter } from '../../../api/entities.js';
import { fieldMessages } from '../../../api/field-messages.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { NoEmailAddress } from '../../../components/feedback/no-email-address.js';
import { SkriptSelect } from '../../../components/selects/skript-select.js';
import { TimeZoneSelect } from '../../../components/selects/time-zone-select.js';
import { TimeText } from '../../../components/values/time-text.js';
import { destinationWords, isOfRun } from '../terms.js';
import { ofEachRun } from './export-values.js';
import { useNextFires } from './preview.js';
import type { ExportForm } from './source-fields.js';

const DESTINATIONS = [
  { value: 'none', label: 'Keep it here only' },
  { value: 'email', label: 'E-mail me a link' },
  { value: 'webhook', label: 'Post a link to a URL' },
  { value: 's3', label: 'Upload it to S3 or compatible storage' },
];

/** Says where Trawl sends the file, besides keeping it. */
export function DestinationFields({ form, kept }: { form: ExportForm; kept: Exporter['destination'] }) {
  const { destination } = form.values;
  const choices = kept
    ? [{ value: 'kept', label: `As now: ${destinationWords(kept)}` }, ...DESTINATIONS]
    : DESTINATIONS;
  return (
    <>
      <Select label="Where to" data={choices} allowDeselect={false} {...form.getInputProps('destination')} />
      {(destination === 'email' || (destination === 'kept' && kept?.type === 'email')) && <NoEmailAddress />}
      {destination === 'webhook' && (
        <>
          <TextInput
            mt="sm"
            label="URL"
            type="url"
            placeholder="https://example.com/new-file"
            {...form.getInputProps('url')}
          />
          <PasswordInput
            mt="sm"
            label="Secret, if Trawl should sign the call"
            description="whsec_ and random bytes as Base64."
            autoComplete="new-password"
            {...form.getInputProps('secret')}
          />
        </>
      )}
      {destination === 's3' && (
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mt="sm">
          <TextInput label="Bucket" {...form.getInputProps('bucket')} />
          <TextInput label="Folder or prefix" placeholder="prices/" {...form.getInputProps('prefix')} />
          <TextInput label="Region" placeholder="eu-central-1" {...form.getInputProps('region')} />
          <TextInput
            label="Endpoint"
            description="Leave blank for Amazon S3."
            type="url"
            {...form.getInputProps('url')}
          />
          <TextInput label="Access key" autoComplete="off" {...form.getInputProps('access_key_id')} />
          <PasswordInput label="Secret key" autoComplete="new-password" {...form.getInputProps('secret_access_key')} />
          <Checkbox label="Path-style addresses (MinIO)" {...form.getInputProps('path_style', { type: 'checkbox' })} />
        </SimpleGrid>
      )}
    </>
  );
}

const SPANS = [
  { value: '0 * * * *', label: 'Every hour' },
  { value: '0 6 * * *', label: 'Every day at 06:00' },
  { value: '0 6 * * 1', label: 'Every Monday at 06:00' },
  { value: '0 6 1 * *', label: 'On the first of each month at 06:00' },
];
const OWN = 'own';

function ScheduleFields({ form }: { form: ExportForm }) {
  const { cron_span: span, time_zone: zone } = form.values;
  const fires = useNextFires(span, zone);
  const refused = fieldMessages(fires.error, { cron_span: 'The cron span' });
  const isKnown = SPANS.some(({ value }) => value === span);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mt="sm">
        <Select
          label="When"
          data={[...SPANS, { value: OWN, label: 'Other times' }]}
          allowDeselect={false}
          value={isKnown ? span : OWN}
          onChange={value => form.setFieldValue('cron_span', value === OWN ? '30 6 * * 1-5' : (value ?? ''))}
        />
        <TimeZoneSelect {...form.getInputProps('time_zone')} />
      </SimpleGrid>
      {!isKnown && (
        <TextInput
          mt="sm"
          label="Cron span"
          description="Minute, hour, day of month, month, day of week."
          spellCheck={false}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('cron_span')}
          error={fires.isError ? (refused.cron_span ?? <MessageText of={fires.error} />) : form.errors.cron_span}
        />
      )}
      {fires.data && (
        <p className="tab-note next-fires">
          Next:{' '}
          {fires.data.next_fires.slice(0, 3).map((fire, position) => (
            <span key={fire}>
              {position > 0 && ', '}
              <TimeText iso={fire} />
            </span>
          ))}
        </p>
      )}
    </>
  );
}

/** Says whether the export repeats, and when. */
export function RepeatFields({ form, isSaved }: { form: ExportForm; isSaved: boolean }) {
  const { repeat, source, group, only_new: onlyNew } = form.values;
  const mayBeOnlyNew = repeat !== 'once' && source === 'collection' && group === null;
  const isOfEachRun = ofEachRun(form.values);
  return (
    <>
      <Radio.Group label="Repeat" {...form.getInputProps('repeat')}>
        <Stack gap={8} mt={6}>
          {!isSaved && <Radio value="once" label="Once, now" />}
          {!isOfRun(source) && (
            <Radio
              value="hand"
              label="Whenever I start it"
              description={isSaved ? undefined : 'Saved as an exporter.'}
            />
          )}
          <Radio value="run" label="After each run of a skript" />
          {!isOfRun(source) && <Radio value="schedule" label="On a schedule" />}
        </Stack>
      </Radio.Group>
      {(repeat === 'run' || isOfEachRun) && (
        <SkriptSelect
          label="Skript"
          placeholder="Choose a skript"
          value={form.values.skript_id || null}
          onChange={id => form.setFieldValue('skript_id', id ?? '')}
          error={form.errors.skript_id as string | undefined}
        />
      )}
      {repeat === 'schedule' && <ScheduleFields form={form} />}
      {repeat !== 'once' && (
        <TextInput
          mt="md"
          label="Name of the exporter"
          placeholder="Prices for the shop"
          {...form.getInputProps('name')}
        />
      )}
      {mayBeOnlyNew && (
        <Checkbox
          mt="md"
          label="Only documents that are new since the last export"
          description="Trawl reads the time in their _id."
          {...form.getInputProps('only_new', { type: 'checkbox' })}
        />
      )}
      {onlyNew && mayBeOnlyNew && (
        <Alert color="gray" variant="light" mt="sm">
          The first export has all documents. Documents with an _id of your own have no time, so they are left out.
        </Alert>
      )}
    </>
  );
}
