import type { IncomingMessage } from 'node:http';
import { socketAddress } from './client-address.js';

const requestFrom = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: forwarded ? { 'x-forwarded-for': forwarded } : {} }) as IncomingMessage;

it('the address of a worker is taken from X-Forwarded-For only if a trusted proxy sent it', () => {
  expect(socketAddress(requestFrom('::ffff:203.0.113.7', '198.51.100.1'), [])).toBe('203.0.113.7');
  expect(socketAddress(requestFrom('10.0.0.2', '198.51.100.1, 203.0.113.7:49152'), ['10.0.0.0/8'])).toBe('203.0.113.7');
  expect(socketAddress(requestFrom('10.0.0.2'), ['10.0.0.0/8'])).toBe('10.0.0.2');
});
