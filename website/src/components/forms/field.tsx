import type { ReactNode } from 'react';
import styles from './forms.module.css';

/** Attributes that link a control to its label, hint and error. */
interface ControlProps {
  id: string;
  name: string;
  required: boolean;
  /** Always set. Without it, screen readers would call empty required fields invalid from the start. */
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

interface FieldProps {
  /** Prefix of the ids of the form, so that two forms on a page cannot have the same ids. */
  form: string;
  name: string;
  label: ReactNode;
  required?: boolean;
  hint?: string;
  error: string | undefined;
  wide?: boolean;
  children: (control: ControlProps) => ReactNode;
}

export function Field({ form, name, label, required = false, hint, error, wide = false, children }: FieldProps) {
  const id = `${form}-${name}`;
  const describedBy = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined;
  return (
    <div className={`${styles.field} ${wide ? styles.wide : ''}`}>
      <label htmlFor={id}>
        {label}
        {required && (
          <span className={styles.star} aria-hidden="true">
            {' '}
            *
          </span>
        )}
      </label>
      {children({
        id,
        name,
        required,
        'aria-invalid': error !== undefined,
        'aria-describedby': describedBy,
      })}
      {hint && (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p className={styles.error} id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
