import { LIVE_NAMESPACE, WORKER_NAMESPACE } from '@trawl/contracts';
import { Decoder, Encoder, type Packet, PacketType } from 'socket.io-parser';
import { LiveBatch } from './live-batch.js';

/** Encodes packets as Socket.IO does, and inserts live echoes as the text that they already are. */
class LiveEncoder extends Encoder {
  override encode(packet: Packet): unknown[] {
    const [event, batch] = packet.type === PacketType.EVENT ? packet.data : [];
    if (!(batch instanceof LiveBatch)) return super.encode(packet);
    return [`${PacketType.EVENT}${LIVE_NAMESPACE},["${event}",${batch.json}]`];
  }
}

/** Decodes packets as Socket.IO does, and leaves the echoes of a live view as text. */
class LiveDecoder extends Decoder {
  override add(data: unknown): void {
    const batch = typeof data === 'string' ? LiveBatch.ofPacket(data) : null;
    if (!batch) super.add(data);
    else this.emitReserved('decoded', { type: PacketType.EVENT, nsp: WORKER_NAMESPACE, data: ['echo_live', batch] });
  }
}

/** The parser of the Socket.IO server. What goes over the wire is the same as with that of Socket.IO. */
export const SOCKET_PARSER: { Encoder: typeof Encoder; Decoder: typeof Decoder } = {
  Encoder: LiveEncoder,
  Decoder: LiveDecoder,
};
