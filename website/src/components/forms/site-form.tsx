import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import { FORM_WORDS } from '@site/content/forms';
import {
  type FormEvent,
  type HTMLInputAutoCompleteAttribute,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
} from 'react';
import { ALL_COUNTRIES, QUICK_COUNTRIES } from './countries';
import { Field } from './field';
import styles from './forms.module.css';
import type { useSubmission } from './use-submission';

interface SiteFormProps {
  /** Prefix of the ids of its controls. */
  name: string;
  label: string;
  action: string;
  submission: ReturnType<typeof useSubmission>;
  /** For browsers without JavaScript: text that is shown before our e-mail address. */
  noScript: string;
  /** Note above the button. */
  note?: ReactNode;
  /** Shown from a success until the next attempt. */
  next?: ReactNode;
  children: (fields: FieldMaker) => ReactNode;
  /** Fields that few visitors need, folded below the others. */
  more?: (fields: FieldMaker) => ReactNode;
}

interface TextProps {
  name: string;
  label: string;
  required?: boolean;
  hint?: string;
  wide?: boolean;
  type?: 'text' | 'email' | 'tel' | 'url';
  autoComplete?: HTMLInputAutoCompleteAttribute;
}

interface FieldMaker {
  text: (props: TextProps) => ReactNode;
  area: (props: TextProps & { rows: number }) => ReactNode;
  country: () => ReactNode;
}

/** Form with fields, sum, honeypot, button and message. The controls are uncontrolled, which keeps autofill working. */
export function SiteForm({
  name: form,
  label,
  action,
  submission,
  noScript,
  note,
  next,
  children,
  more,
}: SiteFormProps) {
  const { submit, markEdited, message, invalid, challenge, isSending, isDone } = submission;
  const button = useRef<HTMLButtonElement>(null);
  const status = useRef<HTMLParagraphElement>(null);
  useRestoredFocus(button, isSending);

  // On phones the message may be out of sight, so scroll to it. Do not scroll if an invalid field has the focus.
  useEffect(() => {
    if (message && !document.activeElement?.matches('[aria-invalid="true"]')) {
      status.current?.scrollIntoView({ block: 'nearest' });
    }
  }, [message]);

  const fields: FieldMaker = {
    text: ({ type = 'text', autoComplete, ...field }) => (
      <Field key={field.name} form={form} error={invalid[field.name]} {...field}>
        {control => <input {...control} type={type} autoComplete={autoComplete} />}
      </Field>
    ),
    area: ({ rows, ...field }) => (
      <Field key={field.name} form={form} error={invalid[field.name]} wide {...field}>
        {control => <textarea {...control} rows={rows} />}
      </Field>
    ),
    country: () => (
      <Field form={form} name="country" label="Country" required error={invalid.country}>
        {control => (
          <select {...control} autoComplete="country-name" defaultValue="">
            <option value="">{FORM_WORDS.noCountry}</option>
            <Countries label={FORM_WORDS.quickSelect} names={QUICK_COUNTRIES} />
            <Countries label={FORM_WORDS.allCountries} names={ALL_COUNTRIES} />
          </select>
        )}
      </Field>
    ),
  };

  return (
    <form
      className={styles.form}
      aria-label={label}
      noValidate
      onSubmit={submit}
      onInput={(event: FormEvent<HTMLFormElement>) => markEdited((event.target as HTMLInputElement).name)}
    >
      <p className={styles.required}>{FORM_WORDS.required}</p>
      <div className={styles.fields}>
        {children(fields)}
        <Field
          form={form}
          name="result"
          label={challenge ? `How much is ${challenge.x} + ${challenge.y}?` : 'How much is the sum?'}
          required
          hint={FORM_WORDS.sumHint}
          error={invalid.result}
          wide
        >
          {control => <input {...control} className={styles.result} inputMode="numeric" autoComplete="off" />}
        </Field>
      </div>
      {more && (
        <details className={styles.more}>
          <summary>{FORM_WORDS.more}</summary>
          <div className={styles.fields}>{more(fields)}</div>
        </details>
      )}
      <Honeypot />
      {note}
      <div className={styles.end}>
        <button
          ref={button}
          type="submit"
          className={`action ${styles.submit}`}
          disabled={isSending || !challenge}
          aria-busy={isSending}
        >
          {isSending && <span className={styles.spinner} aria-hidden="true" />}
          {isSending ? FORM_WORDS.sending : action}
        </button>
        <p ref={status} className={styles.message} role="status" aria-live="polite" data-kind={message?.kind}>
          {message?.text}
        </p>
      </div>
      {isDone && next}
      <NoScript instead={noScript} />
    </form>
  );
}

function Countries({ label, names }: { label: string; names: string[] }) {
  return (
    <optgroup label={label}>
      {names.map(name => (
        <option key={name}>{name}</option>
      ))}
    </optgroup>
  );
}

/** Only bots fill in this field. `inert` hides it from people, assistive technology and autofill. */
function Honeypot() {
  return (
    <div className={styles.honeypot} inert>
      <label>
        Fax number
        <input name="fax_number" tabIndex={-1} autoComplete="off" />
      </label>
    </div>
  );
}

function NoScript({ instead }: { instead: string }) {
  const { email } = useDocusaurusContext().siteConfig.customFields as { email: string };
  return (
    <noscript>
      <p className={styles.noScript}>
        {FORM_WORDS.noScript} {instead} <a href={`mailto:${email}`}>{email}</a>
      </p>
    </noscript>
  );
}

/** Gives the focus back to the button after sending. Browsers take the focus from a button that becomes disabled. */
function useRestoredFocus(button: RefObject<HTMLButtonElement | null>, isSending: boolean) {
  const hadFocus = useRef(false);
  useEffect(() => {
    if (isSending) hadFocus.current = true;
    else if (hadFocus.current) {
      hadFocus.current = false;
      if (document.activeElement === document.body) button.current?.focus({ preventScroll: true });
    }
  }, [isSending, button]);
}
