import { Alert, Skeleton } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { EventType } from '@trawl/contracts';
import { useState } from 'react';
import { api, unwrap } from '../../../api/client.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { NoEmailAddress } from '../../../components/feedback/no-email-address.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { useChange } from '../../../components/feedback/use-change.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { useKeptForm } from '../../../components/unsaved/use-kept-form.js';
import { EventChoices } from './event-choices.js';

export const emailSettingsQuery = queryOptions({
  queryKey: ['email-events'],
  queryFn: ({ signal }) => unwrap(api.GET('/joint-api/account/notifications', { signal })),
});

function EmailForm({ saved }: { saved: EventType[] }) {
  const [events, setEvents] = useState(saved);
  const save = useChange({
    send: (email_events: EventType[]) =>
      unwrap(api.PUT('/joint-api/account/notifications', { body: { email_events } })),
    reload: [emailSettingsQuery.queryKey],
    done: ({ email_events: chosen }) =>
      chosen.length === 0 ? 'Trawl sends you no e-mails.' : 'Trawl e-mails you about these events.',
  });
  const isDirty = [...events].sort().join() !== [...saved].sort().join();
  useKeptForm({ name: 'email-events', input: isDirty ? events : null, restore: setEvents });
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        save.mutate(events);
      }}
    >
      <EventChoices label="E-mail me about" value={events} onChange={setEvents} />
      {save.isError && (
        <Alert role="alert" color="red" variant="light" mt="md" title="Your choice was not saved">
          <MessageText of={save.error} />
        </Alert>
      )}
      <FocusableButton mt="md" type="submit" loading={save.isPending} disabled={!isDirty}>
        Save
      </FocusableButton>
    </form>
  );
}

/** Chooses the events that Trawl e-mails the user about. */
export function EmailCard() {
  const query = useQuery(emailSettingsQuery);
  return (
    <section className="card account-card" data-wide aria-labelledby="emails">
      <h2 id="emails">E-mails</h2>
      <p className="tab-note">At most one e-mail an hour: the first event at once, later ones together.</p>
      <NoEmailAddress />
      {query.data ? (
        <EmailForm saved={query.data.email_events} />
      ) : query.isError ? (
        <ErrorState what="Your choice could not be loaded" error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <Skeleton height={200} />
      )}
    </section>
  );
}
