import Link from '@docusaurus/Link';
import { SIGN_UP_PAGE } from '@site/content/pages/sign-up';
import styles from './forms.module.css';
import { checkSignUp } from './rules';
import { SiteForm } from './site-form';
import { textOf, useSubmission } from './use-submission';

const FIELDS = [
  'first_name',
  'last_name',
  'email',
  'city',
  'country',
  'phone',
  'website',
  'company_name',
  'company_location',
  'company_vat',
  'comment',
];

export function SignUpForm() {
  const submission = useSubmission({
    path: '/www/users/register',
    fields: FIELDS,
    check: checkSignUp,
    successText: content => textOf(content, 'msg'),
    cleared: [...FIELDS, 'result'],
  });
  const { labels, action, emailHint, acceptance } = SIGN_UP_PAGE;
  const note = (
    <p className={styles.note}>
      {acceptance.before} <b>{action}</b> {acceptance.accept}{' '}
      <Link to="/legal/terms-of-service">{acceptance.terms}</Link> {acceptance.acknowledge}{' '}
      <Link to="/legal/privacy-policy">{acceptance.privacy}</Link>.
    </p>
  );
  return (
    <SiteForm
      name="sign-up"
      label={SIGN_UP_PAGE.formLabel}
      action={action}
      submission={submission}
      noScript={SIGN_UP_PAGE.noScript}
      note={note}
      next={<NextSteps />}
      more={({ text, area }) => (
        <>
          {text({ name: 'phone', label: labels.phone, type: 'tel', autoComplete: 'tel' })}
          {text({ name: 'website', label: labels.website, type: 'url', autoComplete: 'url' })}
          {text({ name: 'company_name', label: labels.company_name, autoComplete: 'organization', wide: true })}
          {text({ name: 'company_location', label: labels.company_location, autoComplete: 'off' })}
          {text({ name: 'company_vat', label: labels.company_vat, autoComplete: 'off' })}
          {area({ name: 'comment', label: labels.comment, rows: 4 })}
        </>
      )}
    >
      {({ text, country }) => (
        <>
          {text({ name: 'first_name', label: labels.first_name, required: true, autoComplete: 'given-name' })}
          {text({ name: 'last_name', label: labels.last_name, required: true, autoComplete: 'family-name' })}
          {text({
            name: 'email',
            label: labels.email,
            required: true,
            type: 'email',
            autoComplete: 'email',
            hint: emailHint,
            wide: true,
          })}
          {text({ name: 'city', label: labels.city, required: true, autoComplete: 'address-level2' })}
          {country()}
        </>
      )}
    </SiteForm>
  );
}

/** Tells a visitor what to do after a sign-up, for longer than the message does. */
function NextSteps() {
  const { title, items, links } = SIGN_UP_PAGE.next;
  return (
    <section className={styles.next}>
      <h2>{title}</h2>
      <ol>
        {items.map(item => (
          <li key={item}>{item}</li>
        ))}
      </ol>
      <p>
        {links.map(({ label, to }) => (
          <Link key={to} to={to}>
            {label}
          </Link>
        ))}
      </p>
    </section>
  );
}
