import type { Packet } from 'socket.io-parser';
import { LIVE_PARSER } from './live-parser.js';

const decoded = (text: string): Packet[] => {
  const packets: Packet[] = [];
  const decoder = new LIVE_PARSER.Decoder();
  decoder.on('decoded', packet => packets.push(packet));
  decoder.add(text);
  return packets;
};

test('a batch of live echoes stays text, which the web worker parses', () => {
  const json = '{"execution_id":"r1","from_seq":1,"items":[{"type":"log","msg":"]\\"","time":"","seq":1}]}';
  expect(decoded(`2/live,["echoes",${json}]`)).toEqual([{ type: 2, nsp: '/live', data: ['echoes', json] }]);
});

test.each([
  ['2/live,["execution",{"id":"r1"}]', { type: 2, nsp: '/live', data: ['execution', { id: 'r1' }] }],
  ['3/live,7[{"ok":true}]', { type: 3, nsp: '/live', id: 7, data: [{ ok: true }] }],
  ['0/live,{"sid":"s"}', { type: 0, nsp: '/live', data: { sid: 's' } }],
])('the packet %s is decoded as Socket.IO decodes it', (text, packet) => {
  expect(decoded(text)).toEqual([packet]);
});
