import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { siteClient } from '../../api-clients';
import type { RuleViolation, Values } from './rules';

const ERROR_SHOWN_MS = 2100;
const SUCCESS_SHOWN_MS = 5500;
const MAX_ADDEND = 10;

/** Parameters of a form. */
interface Submission {
  /** Path in the platform's API. */
  path: string;
  /** Names of the fields to send. */
  fields: readonly string[];
  check: (values: Values) => RuleViolation | null;
  successText: (content: unknown) => string | undefined;
  /** Names of the fields to clear after success. */
  cleared: readonly string[];
}

interface Challenge {
  x: number;
  y: number;
}

export interface Message {
  kind: 'error' | 'success';
  text: string;
}

export function useSubmission({ path, fields, check, successText, cleared }: Submission) {
  const { apiUrl } = useDocusaurusContext().siteConfig.customFields as { apiUrl: string };
  const { message, show } = useTimedMessage();
  const [invalid, setInvalid] = useState<Values>({});
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const [isSending, setSending] = useState(false);
  const [isDone, setDone] = useState(false);
  // Prevents sending the form twice: a second click can arrive before React disables the button.
  const isSubmitting = useRef(false);

  // Choose the sum in the browser. If the build chose it, every visitor would get the same sum.
  useEffect(() => setChallenge(newChallenge()), []);

  const markEdited = useCallback((name: string) => setInvalid(({ [name]: _edited, ...others }) => others), []);

  function mark(form: HTMLFormElement, wrong: Values) {
    // Keep the earlier marks: these fields have not been edited since, so they are still invalid.
    setInvalid(before => ({ ...before, ...wrong }));
    // Focus the invalid field that is first on the page. The order of the fields in the response does not matter.
    const first = controlsOf(form).find(({ name }) => name in wrong);
    first?.closest('details')?.setAttribute('open', '');
    first?.focus();
  }

  async function send(form: HTMLFormElement, { x, y }: Challenge, values: Values) {
    const payload = {
      ...pick(values, fields),
      x,
      y,
      result: values.result ?? '',
      ip: await visitorAddress(apiUrl),
      time: new Date().toISOString(),
      referer: window.location.href,
      ...(values.fax_number ? { fax_number: values.fax_number } : {}),
    };
    const { status, statusMessage, content } = await siteClient.json(apiUrl + path, { method: 'POST', body: payload });
    if (reachedServer(status)) setChallenge(newChallenge());
    if (status !== 200) {
      mark(form, rejectedFields(content));
      show({ kind: 'error', text: textOf(content, 'error_message') ?? statusMessage });
      return;
    }
    for (const name of cleared) {
      const field = fieldOf(form, name);
      if (field) field.value = '';
    }
    setDone(true);
    show({ kind: 'success', text: successText(content) ?? statusMessage });
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isSubmitting.current || !challenge) return;
    const form = event.currentTarget;
    show(null);
    setDone(false);
    const values = readValues(form);
    const wrong = check(values);
    if (wrong) {
      mark(form, Object.fromEntries(wrong.fields.map(name => [name, wrong.message])));
      show({ kind: 'error', text: wrong.message });
      return;
    }
    setInvalid({});
    isSubmitting.current = true;
    setSending(true);
    try {
      await send(form, challenge, values);
    } finally {
      isSubmitting.current = false;
      setSending(false);
    }
  }

  return { submit, markEdited, message, invalid, challenge, isSending, isDone };
}

/** A message that disappears after a while, or when the next one replaces it. */
function useTimedMessage() {
  const [message, setMessage] = useState<Message | null>(null);
  const timer = useRef<number>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const show = (next: Message | null) => {
    window.clearTimeout(timer.current);
    setMessage(next);
    if (!next) return;
    const shownMs = next.kind === 'error' ? ERROR_SHOWN_MS : SUCCESS_SHOWN_MS;
    timer.current = window.setTimeout(() => setMessage(null), shownMs);
  };
  return { message, show };
}

/** Asks the platform for the visitor's IP address. Returns '' if that fails, because the form is sent anyway. */
async function visitorAddress(apiUrl: string): Promise<string> {
  const { status, content } = await siteClient.json(`${apiUrl}/ip`);
  return (status === 200 && textOf(content, 'external_ip')) || '';
}

/** Returns false for the statuses 0 and 408, with which the HTTP client reports network errors and timeouts. */
const reachedServer = (status: number): boolean => status !== 0 && status !== 408;

export function textOf(content: unknown, name: string): string | undefined {
  const value = (content as Record<string, unknown> | null)?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the error messages in the response, by the name of the field that the server rejected. */
function rejectedFields(content: unknown): Values {
  const { details } = (content ?? {}) as { details?: unknown };
  if (!Array.isArray(details)) return {};
  return Object.fromEntries(
    details.flatMap(detail => {
      const [field, message] = [textOf(detail, 'field'), textOf(detail, 'message')];
      return field && message ? [[field, message]] : [];
    }),
  );
}

const newChallenge = (): Challenge => ({ x: randomAddend(), y: randomAddend() });
const randomAddend = (): number => 1 + Math.floor(Math.random() * MAX_ADDEND);

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const controlsOf = (form: HTMLFormElement) => [...form.elements] as Control[];

const fieldOf = (form: HTMLFormElement, name: string) => form.elements.namedItem(name) as Control | null;

const readValues = (form: HTMLFormElement): Values =>
  Object.fromEntries(
    controlsOf(form)
      .filter(({ name }) => name)
      .map(({ name, value }) => [name, value.trim()]),
  );

const pick = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.map(name => [name, values[name] ?? '']));
