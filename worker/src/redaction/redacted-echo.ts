import { type CheckedEcho, checkedEcho } from '../protocol/echo-items.js';
import type { Redaction } from './redaction.js';

/** Removes the values of the run's secret from an echo. Leaves images unchanged. */
export function redactedEcho(echo: CheckedEcho, redaction: Redaction): CheckedEcho {
  const [type, msg, time] = echo;
  if (type === 'image') return echo;
  const redacted = type === 'objekt' ? redaction.json(msg) : redaction.text(msg);
  // Check a changed text again: the placeholder may be longer than the value, so the text may now be too long.
  return redacted === msg ? echo : checkedEcho([type, redacted, time]);
}
