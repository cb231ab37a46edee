import { ECHO_TYPES, type EchoType, LIMITS } from '@trawl/contracts';
import { cutText } from './cut-text.js';
import { withoutTerminalCodes, withoutTerminalCodesInJson } from './terminal-codes.js';

const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/;

export type CheckedEcho = [type: EchoType, msg: string, time: string];

/** Makes a valid echo from an item that a run has sent. The item may be any value. */
export function checkedEcho(item: unknown): CheckedEcho {
  const [sentType, sentMsg, sentTime] = Array.isArray(item) ? (item as unknown[]) : [];
  const [type, msg] = checkedText(sentType, typeof sentMsg === 'string' ? sentMsg : '[no text]');
  return [type, msg, checkedTime(sentTime)];
}

function checkedText(type: unknown, msg: string): [EchoType, string] {
  if (!isEchoType(type)) return ['log', cut(msg)];
  if (type === 'image') {
    if (msg.length > LIMITS.echoImageChars) {
      return ['warn', `An image of ${msg.length} characters was dropped: the maximum is ${LIMITS.echoImageChars}.`];
    }
    if (!IMAGE.test(msg))
      return ['warn', 'An image echo was dropped: it is not a data URL of a PNG, JPEG, GIF or WebP image.'];
    return [type, msg];
  }
  if (type === 'objekt') {
    const json = withoutTerminalCodesInJson(msg);
    // A cut JSON text is not valid JSON.
    return json.length > LIMITS.echoMsgChars ? ['log', cut(json)] : [type, json];
  }
  return [type, cut(msg)];
}

/** Removes terminal codes first: they do not count towards the limit, and would hide a secret from redaction. */
const cut = (msg: string): string => cutText(withoutTerminalCodes(msg), LIMITS.echoMsgChars);

/** Remembers the last time that was checked, because many echoes have the same millisecond. */
let lastTime = { sent: '', checked: '' };

function checkedTime(sent: unknown): string {
  if (typeof sent !== 'string') return new Date().toISOString();
  if (sent !== lastTime.sent) {
    const date = new Date(sent);
    const inRange = date.getTime() >= 0 && date.getFullYear() <= 9999;
    if (!inRange) return new Date().toISOString();
    lastTime = { sent, checked: date.toISOString() };
  }
  return lastTime.checked;
}

const isEchoType = (type: unknown): type is EchoType => (ECHO_TYPES as readonly unknown[]).includes(type);
