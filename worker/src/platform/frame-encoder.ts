import { echoLiveJson } from '@trawl/contracts';
import { Encoder, type Packet, PacketType } from 'socket.io-parser';

/** Live echoes of a run. Each of `items` is the JSON text of one or more echoes, with commas between them. */
export class LiveFrame {
  constructor(
    readonly id: string,
    readonly from_seq: number,
    readonly items: string[],
    readonly epoch: number,
  ) {}
}

/** Encodes packets as Socket.IO does, and inserts live echoes as the text that they already are. */
export class FrameEncoder extends Encoder {
  override encode(packet: Packet): unknown[] {
    const [event, frame] = packet.type === PacketType.EVENT ? packet.data : [];
    if (!(frame instanceof LiveFrame)) return super.encode(packet);
    const json = echoLiveJson(frame.id, frame.from_seq, `[${frame.items.join()}]`, frame.epoch);
    return [`${packet.type}${packet.nsp},["${event}",${json}]`];
  }
}
