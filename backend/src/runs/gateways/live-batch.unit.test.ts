import { type Echo, type EchoLive, echoLiveSchema, LIVE_NAMESPACE, WORKER_NAMESPACE } from '@trawl/contracts';
import { type Packet, PacketType } from 'socket.io-parser';
import { LiveBatch } from './live-batch.js';
import { SOCKET_PARSER } from './socket-parser.js';

const ID = '0198a1c2-1111-7000-8000-000000000001';
const TIME = '2026-02-15T09:30:00.000Z';
const echo = (msg: string, seq = 1): Echo => ({ type: 'log', msg, time: TIME, seq });
const frameOf = (...items: Echo[]): EchoLive => ({ id: ID, from_seq: 1, items, epoch: 3 });
const packetOf = (frame: unknown): string => `2${WORKER_NAMESPACE},${JSON.stringify(['echo_live', frame])}`;

const { Encoder, Decoder } = SOCKET_PARSER;
const decoded = (packet: string): Packet => {
  const packets: Packet[] = [];
  const decoder = new Decoder();
  decoder.on('decoded', one => packets.push(one));
  decoder.add(packet);
  return packets[0] as Packet;
};

const TEXTS = [
  '',
  'ä 日本 \u{1f600}',
  '"quoted" \\ / \b\f\n\r\t\u0001\u001b',
  '\ud800',
  '\u2028\u2029\u007f',
  '}]',
  'x'.repeat(600_000),
];

test('the socket passes live echoes of any text on to viewers as the worker has written them', () => {
  const frame = frameOf(...TEXTS.map((msg, index) => echo(msg, index + 1)));
  const { nsp, data } = decoded(packetOf(frame));
  expect([nsp, data[0]]).toEqual([WORKER_NAMESPACE, 'echo_live']);
  const batch = data[1] as LiveBatch;
  expect(batch).toBeInstanceOf(LiveBatch);
  const { execution_id, from_seq, items, epoch } = batch;
  expect({ id: execution_id, from_seq, items, epoch }).toEqual(frame);
  const [text] = new Encoder().encode({ type: PacketType.EVENT, nsp: LIVE_NAMESPACE, data: ['echoes', batch] });
  expect(text).toBe(
    `2${LIVE_NAMESPACE},${JSON.stringify(['echoes', { execution_id: ID, from_seq: 1, items: frame.items }])}`,
  );
});

test('live echoes in another form than that of this version, such as other fields, are read from the parsed frame', () => {
  const frame = { epoch: 3, id: ID, from_seq: 1, items: [{ ...echo('text'), later: true }], later: 1 };
  expect(LiveBatch.ofPacket(packetOf(frame))).toBeNull();
  const batch = LiveBatch.ofFrame(decoded(packetOf(frame)).data[1]);
  expect(batch?.json).toBe(JSON.stringify({ execution_id: ID, from_seq: 1, items: [echo('text')] }));
});

test.each([
  ['an unknown type', { type: 'script' }],
  ['a text that is no text', { msg: 1 }],
  ['a time that is none', { time: '2026-02-15' }],
  ['a month that is none', { time: '2026-13-15T09:30:00.000Z' }],
  ['a negative number', { seq: -1 }],
  ['a number that is no integer', { seq: 1.5 }],
  ['no number', { seq: undefined }],
])('a live echo with %s is refused', (_what, fields) => {
  const frame = { ...frameOf(), items: [echo('first'), { ...echo('text'), ...fields }] };
  expect(echoLiveSchema.safeParse(frame).success).toBe(false);
  expect(LiveBatch.ofPacket(packetOf(frame))).toBeNull();
  expect(LiveBatch.ofFrame(frame)).toBeNull();
});

test.each([[']},{"execution_id":"'], ['"'], ['\u0000'], ['\\x'], ['\\']])(
  'a text that is not written as JSON cannot add to the message for viewers: %j',
  raw => {
    const packet = packetOf(frameOf(echo('MARK'))).replace('MARK', () => raw);
    expect(() => JSON.parse(packet.slice(packet.indexOf('[')))).toThrow();
    expect(LiveBatch.ofPacket(packet)).toBeNull();
  },
);

test('a frame that is no live echo is decoded and encoded as Socket.IO does', () => {
  const packet = `2${WORKER_NAMESPACE},7["beat",{"n":1}]`;
  expect(decoded(packet)).toMatchObject({
    type: PacketType.EVENT,
    nsp: WORKER_NAMESPACE,
    id: 7,
    data: ['beat', { n: 1 }],
  });
  expect(
    new Encoder().encode({ type: PacketType.EVENT, nsp: WORKER_NAMESPACE, id: 7, data: ['beat', { n: 1 }] }),
  ).toEqual([packet]);
});

test('a packet that is cut off, or has more text at its end, is no batch of live echoes', () => {
  const packet = packetOf(frameOf(echo('text'), echo('more', 2)));
  for (let end = 1; end < packet.length; end += 1) expect(LiveBatch.ofPacket(packet.slice(0, end))).toBeNull();
  expect(LiveBatch.ofPacket(`${packet}[]`)).toBeNull();
});
