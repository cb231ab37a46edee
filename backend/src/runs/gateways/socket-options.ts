import { LIMITS } from '@trawl/contracts';

const ENVELOPE_BYTES = 64 * 1024;

/**
 * All namespaces share one Socket.IO server and its options. Only WebSocket is allowed, no HTTP polling: so a load
 * balancer needs no sticky sessions.
 */
export const SOCKET_OPTIONS = {
  transports: ['websocket' as const],
  maxHttpBufferSize: LIMITS.frameBytes + ENVELOPE_BYTES,
};
