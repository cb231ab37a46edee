import { useLocation } from '@docusaurus/router';
import { CONTACT } from '@site/content/contact';
import { FORM_MESSAGES } from '@site/content/forms';
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

  // After the page has become alive: its file is the same for every query.
  useEffect(() => {
    const field = document.getElementById(`${FORM}-subject`) as HTMLInputElement | null;
    if (!field || !asked) return;
    // What the visitor wrote stays: typed before the page was alive, or brought back by the browser.
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
