import { ECHO_TYPES, type EchoType, LIMITS } from '@trawl/contracts';
import { cutText } from './cut-text.js';
import type { Redaction } from './redaction.js';

const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/;

export type CheckedEcho = [type: EchoType, msg: string, time: string];

/** What a run sent as an echo, made fit to be kept and shown; nothing of it is taken as it came. */
export function checkedEcho(item: unknown): CheckedEcho {
  const [type, msg, time] = Array.isArray(item) ? (item as unknown[]) : [];
  return [...checkedText(type, typeof msg === 'string' ? msg : '[no text]'), checkedTime(time)];
}

function checkedText(type: unknown, msg: string): [EchoType, string] {
  if (!isEchoType(type)) return ['log', cut(msg)];
  if (type === 'image') {
    if (msg.length > LIMITS.echoImageChars) {
      return ['warn', `An image of ${msg.length} characters was not kept: one may have ${LIMITS.echoImageChars}.`];
    }
    if (!IMAGE.test(msg))
      return ['warn', 'An image echo was not kept: it is no data address of a PNG, JPEG, GIF or WebP image.'];
    return [type, msg];
  }
  // A piece of JSON text is no JSON text any more.
  if (type === 'objekt' && msg.length > LIMITS.echoMsgChars) return ['log', cut(msg)];
  return [type, cut(msg)];
}

const cut = (msg: string): string => cutText(msg, LIMITS.echoMsgChars);

/** The last time that was checked: echoes of one millisecond say the same. */
let lastTime = { said: '', checked: '' };

function checkedTime(said: unknown): string {
  if (typeof said !== 'string') return new Date().toISOString();
  if (said !== lastTime.said) {
    const date = new Date(said);
    const inRange = date.getTime() >= 0 && date.getFullYear() <= 9999;
    if (!inRange) return new Date().toISOString();
    lastTime = { said, checked: date.toISOString() };
  }
  return lastTime.checked;
}

const isEchoType = (type: unknown): type is EchoType => (ECHO_TYPES as readonly unknown[]).includes(type);

/** Without the values of the run's secret. A picture is left as it is. */
export function redactedEcho(echo: CheckedEcho, redaction: Redaction): CheckedEcho {
  const [type, msg, time] = echo;
  if (type === 'image') return echo;
  const redacted = type === 'objekt' ? redaction.json(msg) : redaction.text(msg);
  // A short value that was taken out leaves a text that is longer, maybe by too much.
  return redacted === msg ? echo : checkedEcho([type, redacted, time]);
}
