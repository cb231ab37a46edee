import { ECHO_TYPES, type EchoType } from '../echoes/echoes.js';

/**
 * The JSON text of live echoes. Workers write it and platforms recognise it without parsing it, because `JSON.stringify` and
 * `JSON.parse` take several times as long. It is an ordinary `echo_live` frame, so other versions may read and write it in
 * their own way.
 * See docs/decisions/0105-live-logs-pull-echoes.md.
 */

/** Highest number of echoes in a frame `echo_live`. */
export const MAX_LIVE_ECHOES = 5_000;

/** Matches a text that JSON writes as it is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const WRITTEN_AS_IT_IS = /^[^"\\\x00-\x1f\ud800-\udfff]*$/;

/**
 * Returns echoes as JSON texts with commas between them.
 *
 * @param fromSeq number of the first of these echoes
 */
export function echoesJson(
  fromSeq: number,
  echoes: readonly (readonly [EchoType, msg: string, time: string])[],
): string {
  let json = '';
  let seq = fromSeq;
  // Most echoes have the type and the time of the one before.
  let [lastType, lastTime, beforeMsg, afterMsg] = ['', '', '', ''];
  for (const [type, msg, time] of echoes) {
    if (type !== lastType) beforeMsg = `,{"type":"${type}","msg":"`;
    if (time !== lastTime) afterMsg = `","time":"${time}","seq":`;
    [lastType, lastTime] = [type, time];
    const text = WRITTEN_AS_IT_IS.test(msg) ? msg : JSON.stringify(msg).slice(1, -1);
    json += `${beforeMsg}${text}${afterMsg}${seq}}`;
    seq += 1;
  }
  return json.slice(1);
}

/**
 * Returns an `echo_live` frame as JSON text.
 *
 * @param items JSON text of a list of echoes
 */
export const echoLiveJson = (id: string, fromSeq: number, items: string, epoch: number): string =>
  `{"id":"${id}","from_seq":${fromSeq},"items":${items},"epoch":${epoch}}`;

const STRING = String.raw`"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"`;
const DAY = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const TIME = String.raw`"${DAY}T(?:[01]\d|2[0-3])(?::[0-5]\d){2}\.\d{3}Z"`;
const ECHO = String.raw`\{"type":"(?:${ECHO_TYPES.join('|')})","msg":${STRING},"time":${TIME},"seq":[1-9]\d{0,8}\}`;
const ID = '[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
/**
 * Matches what `echoLiveJson` returns; the groups are its arguments. It matches only what `echoLiveSchema` takes, so what
 * it matches needs no other check.
 */
const FRAME = new RegExp(
  String.raw`^\{"id":"(${ID})","from_seq":([1-9]\d{0,8}),"items":(\[${ECHO}(?:,${ECHO}){0,${MAX_LIVE_ECHOES - 1}}\]),"epoch":(\d{1,15})\}$`,
);

/** Reads what `echoLiveJson` returns. Returns null if the text is another frame, or none. */
export function readEchoLive(json: string): { id: string; fromSeq: number; items: string; epoch: number } | null {
  const [, id = '', fromSeq, items = '', epoch] = FRAME.exec(json) ?? [];
  return id === '' ? null : { id, fromSeq: Number(fromSeq), items, epoch: Number(epoch) };
}
