import { LIVE_NAMESPACE, type LiveClientEvents, type LiveServerEvents } from '@trawl/contracts';
import { io, type Socket } from 'socket.io-client';
import { readSession } from '../session/session-cookies.js';
import { endSession } from '../session/session-end.js';

export type LiveSocket = Socket<LiveServerEvents, LiveClientEvents>;

/** After a refusal Socket.IO does not try again by itself. */
const RETRY_MS = 3_000;

let socket: LiveSocket | null = null;

function connect(): LiveSocket {
  const opened: LiveSocket = io(LIVE_NAMESPACE, {
    // The backend takes no other: polling would need a sticky proxy.
    transports: ['websocket'],
    // Asked at every connection, so that a new login is used by a reconnection.
    auth: answer => answer({ token: readSession(document.cookie)?.token ?? '' }),
  });
  opened.on('connect_error', ({ message }) => {
    if (message === 'unauthorized') endSession();
    else if (!opened.active) setTimeout(() => opened === socket && opened.connect(), RETRY_MS);
  });
  opened.on('disconnect', reason => {
    // The server drops who has no session any more; asking again tells whether that is why.
    if (reason === 'io server disconnect') opened.connect();
  });
  return opened;
}

/** The one connection for live news; opened at the first use after logging in. */
export function liveSocket(): LiveSocket {
  socket ??= connect();
  return socket;
}

/** Tries at once, where the next attempt may be seconds away. */
export function reconnectLive(): void {
  if (socket && !socket.connected) socket.disconnect().connect();
}

export function closeLiveSocket(): void {
  socket?.disconnect();
  socket = null;
}
