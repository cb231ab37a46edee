import { Socket } from 'node:dgram';

const OWN_LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/**
 * Makes UDP outside of the run fail with a helpful error, because the proxy supports only TCP. Without this, the error
 * would only be ENETUNREACH.
 */
export function rejectDatagrams(): void {
  const send = Socket.prototype.send as (this: Socket, ...args: unknown[]) => void;
  Socket.prototype.send = function (this: Socket, ...args: unknown[]): void {
    const address = args.slice(1).find(arg => typeof arg === 'string') as string | undefined;
    if (address === undefined || OWN_LOOPBACK.test(address)) {
      send.apply(this, args);
      return;
    }
    const text = `send EACCES ${address}: this worker's sandbox allows UDP only within the run; use TCP`;
    const error = Object.assign(new Error(text), { code: 'EACCES', syscall: 'send', address });
    const callback = args.at(-1);
    process.nextTick(() => (typeof callback === 'function' ? callback(error) : this.emit('error', error)));
  } as typeof Socket.prototype.send;
}
