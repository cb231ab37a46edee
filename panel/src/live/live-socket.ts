import { LIVE_NAMESPACE, type LiveClientEvents, type LiveServerEvents } from '@trawl/contracts';
import { io, type Socket } from 'socket.io-client';
import { readSession } from '../session/session-cookies.js';
import { endSession } from '../session/session-end.js';
import { LIVE_PARSER } from './live-parser.js';

interface ReceivedEvents extends Omit<LiveServerEvents, 'echoes'> {
  /** @param json text of `LiveEchoes` */
  echoes: (json: string) => void;
}

export type LiveSocket = Socket<ReceivedEvents, LiveClientEvents>;

/** Delay before a new attempt after the server refused the connection. In this case Socket.IO does not retry itself. */
const RETRY_MS = 3_000;

let socket: LiveSocket | null = null;

function connect(): LiveSocket {
  const opened: LiveSocket = io(LIVE_NAMESPACE, {
    // Use no HTTP polling. The backend does not accept it, because it would need sticky sessions.
    transports: ['websocket'],
    parser: LIVE_PARSER,
    // Socket.IO calls this function for each new connection, so that it sends the current token.
    auth: answer => answer({ token: readSession(document.cookie)?.token ?? '' }),
  });
  opened.on('connect_error', ({ message }) => {
    if (message === 'unauthorized') endSession();
    else if (!opened.active) setTimeout(() => opened === socket && opened.connect(), RETRY_MS);
  });
  opened.on('disconnect', reason => {
    // The server closes the connections of ended sessions. In this case the new attempt fails with `unauthorized`.
    if (reason === 'io server disconnect') opened.connect();
  });
  return opened;
}

/** The shared connection for live updates, opened on first use. */
export function liveSocket(): LiveSocket {
  socket ??= connect();
  return socket;
}

/** Reconnects at once instead of waiting for the next attempt. */
export function reconnectLive(): void {
  if (socket && !socket.connected) socket.disconnect().connect();
}

export function closeLiveSocket(): void {
  socket?.disconnect();
  socket = null;
}
