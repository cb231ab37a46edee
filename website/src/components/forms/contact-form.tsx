import { useLocation } from '@docusaurus/router';
import { FORM_MESSAGES } from '@site/content/forms';
import { CONTACT } from '@site/content/pages/contact';
import { useEffect, useRef } from 'react';
import { checkContact } from './rules';
import { SiteForm } from './site-form';
import { useSubmission } from './use-submission';

const FORM = 'contact';
const FIELDS = ['name', 'email', 'country', 'subject', 'msg'];

export function ContactForm() {
  const submission = useSubmission({
    path: '/www/contact',
    fields: FIELDS,
    check: checkContact,
    successText: () => FORM_MESSAGES.contactSuccess,
    cleared: [...FIELDS, 'result'],
  });
  const { markEdited } = submission;
  const asked = new URLSearchParams(useLocation().search).get('subject');

  const filledIn = useRef('');

  // Fill in the subject from the URL after hydration, because the static HTML is the same for every query string.
  useEffect(() => {
    const field = document.getElementById(`${FORM}-subject`) as HTMLInputElement | null;
    if (!field || !asked) return;
    // Keep text that the visitor typed before hydration or that the browser restored.
    if (field.value !== '' && field.value !== filledIn.current) return;
    filledIn.current = asked;
    field.value = asked;
    markEdited('subject');
  }, [asked, markEdited]);

  const { labels } = CONTACT;
  return (
    <SiteForm
      name={FORM}
      label={CONTACT.formLabel}
      action={CONTACT.action}
      submission={submission}
      noScript={CONTACT.noScript}
    >
      {({ text, area, country }) => (
        <>
          {text({ name: 'name', label: labels.name, required: true, autoComplete: 'name' })}
          {text({ name: 'email', label: labels.email, required: true, type: 'email', autoComplete: 'email' })}
          {country()}
          {/* With autofill turned off, the browser would not bring it back when the visitor comes back. */}
          {text({ name: 'subject', label: labels.subject, required: true })}
          {area({ name: 'msg', label: labels.msg, required: true, rows: 8, hint: CONTACT.msgHint })}
        </>
      )}
    </SiteForm>
  );
}
