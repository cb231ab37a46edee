import { LIMITS } from '@trawl/contracts';

const ENVELOPE_BYTES = 64 * 1024;

/** One Socket.IO server serves every namespace, so all gateways say the same. Without polling no front needs sticky sessions. */
export const SOCKET_OPTIONS = {
  transports: ['websocket' as const],
  maxHttpBufferSize: LIMITS.frameBytes + ENVELOPE_BYTES,
};
