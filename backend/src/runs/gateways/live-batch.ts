import {
  type Echo,
  type EchoLive,
  echoLiveSchema,
  type LiveEchoes,
  readEchoLive,
  WORKER_NAMESPACE,
} from '@trawl/contracts';

/** A packet of Socket.IO with live echoes is this text, the frame, and `]`. */
const BEGIN = `2${WORKER_NAMESPACE},["echo_live",`;

/**
 * A batch of live echoes of a run. It keeps the JSON text that the worker has sent, which goes to viewers as it is: to
 * parse each echo and serialise it again would take most of the backend's time.
 */
export class LiveBatch implements LiveEchoes {
  #items: Echo[] | undefined;

  /** @param itemsJson a list of echoes as JSON text, of which the form is checked */
  private constructor(
    readonly execution_id: string,
    readonly from_seq: number,
    private readonly itemsJson: string,
    /** The epoch of the frame. */
    readonly epoch: number,
  ) {}

  static of({ id, from_seq, items }: Pick<EchoLive, 'id' | 'from_seq' | 'items'>, epoch = 0): LiveBatch {
    return new LiveBatch(id, from_seq, JSON.stringify(items), epoch);
  }

  /** Reads a frame `echo_live`, if the worker wrote it in another form than `ofPacket` knows. Returns null if it is invalid. */
  static ofFrame(frame: unknown): LiveBatch | null {
    const { data } = echoLiveSchema.safeParse(frame);
    return data ? LiveBatch.of(data, data.epoch) : null;
  }

  /** Reads a packet of Socket.IO without parsing its echoes. Returns null if it has no live echoes, or in another form. */
  static ofPacket(packet: string): LiveBatch | null {
    if (!packet.startsWith(BEGIN) || !packet.endsWith(']')) return null;
    const frame = readEchoLive(packet.slice(BEGIN.length, -1));
    return frame && new LiveBatch(frame.id, frame.fromSeq, frame.items, frame.epoch);
  }

  get items(): Echo[] {
    this.#items ??= JSON.parse(this.itemsJson) as Echo[];
    return this.#items;
  }

  /** Returns the batch as JSON text of `LiveEchoes`. */
  get json(): string {
    return `{"execution_id":"${this.execution_id}","from_seq":${this.from_seq},"items":${this.itemsJson}}`;
  }
}
