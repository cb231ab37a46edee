import { LIVE_NAMESPACE } from '@trawl/contracts';
import { Decoder, Encoder, PacketType } from 'socket.io-parser';

/** A packet of Socket.IO with live echoes is this text, the batch as JSON, and `]`. */
const BEGIN = `${PacketType.EVENT}${LIVE_NAMESPACE},["echoes",`;

/** Decodes packets as Socket.IO does, and leaves batches of live echoes as text. Their web worker parses them. */
class EchoTextDecoder extends Decoder {
  override add(data: unknown): void {
    if (typeof data !== 'string' || !data.startsWith(BEGIN)) super.add(data);
    else {
      const event = ['echoes', data.slice(BEGIN.length, -1)];
      this.emitReserved('decoded', { type: PacketType.EVENT, nsp: LIVE_NAMESPACE, data: event });
    }
  }
}

export const LIVE_PARSER = { Encoder, Decoder: EchoTextDecoder };
