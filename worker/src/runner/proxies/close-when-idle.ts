import type { Socket } from 'node:net';

interface Handle {
  hasRef?(): boolean;
  /** The handle of the connection, if this one encrypts it. */
  _parent?: Handle;
}

/**
 * Closes a connection if its library keeps it for a later request, else as soon as it does. Node's `http` and undici let
 * a connection that they keep no longer hold the process.
 */
export function closeWhenIdle(socket: Socket): void {
  const { _handle: handle } = socket as unknown as { _handle: Handle | null };
  const isIdle = !socket.connecting && (handle?._parent ?? handle)?.hasRef?.() === false;
  if (isIdle) socket.destroy();
  else socket.unref = () => socket.destroy();
}
