import { Socket } from 'node:dgram';

const OWN_LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** Nothing but TCP goes through the proxy; the sandbox itself would say no more than ENETUNREACH. */
export function refuseDatagrams(): void {
  const send = Socket.prototype.send as (this: Socket, ...args: unknown[]) => void;
  Socket.prototype.send = function (this: Socket, ...args: unknown[]): void {
    const address = args.slice(1).find(arg => typeof arg === 'string') as string | undefined;
    if (address === undefined || OWN_LOOPBACK.test(address)) {
      send.apply(this, args);
      return;
    }
    const text = `send EACCES ${address}: this worker's sandbox lets runs use TCP, and no UDP beyond the run itself`;
    const error = Object.assign(new Error(text), { code: 'EACCES', syscall: 'send', address });
    const callback = args.at(-1);
    process.nextTick(() => (typeof callback === 'function' ? callback(error) : this.emit('error', error)));
  } as typeof Socket.prototype.send;
}
