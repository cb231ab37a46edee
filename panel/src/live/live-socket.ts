import { LIVE_NAMESPACE, type LiveClientEvents, type LiveServerEvents } from '@trawl/contracts';
import { io, type Socket } from 'socket.io-client';
import { readSession } from '../session/session-cookies.js';

export type LiveSocket = Socket<LiveServerEvents, LiveClientEvents>;

let socket: LiveSocket | null = null;

/** The one connection for live news; opened at the first use after logging in. */
export function liveSocket(): LiveSocket {
  socket ??= io(LIVE_NAMESPACE, {
    // The backend takes no other: polling would need a sticky proxy.
    transports: ['websocket'],
    // Asked at every connection, so that a new login is used by a reconnection.
    auth: answer => answer({ token: readSession(document.cookie)?.token ?? '' }),
  });
  return socket;
}

export function closeLiveSocket(): void {
  socket?.disconnect();
  socket = null;
}
