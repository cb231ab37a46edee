import type { Request } from 'express';

/**
 * Returns the client's IP address. Removes the prefix `::ffff:`, which sockets for both IPv4 and IPv6 add to IPv4
 * addresses.
 */
export const clientAddress = (request: Request): string => (request.ip ?? '').replace(/^::ffff:(?=\d+\.)/, '');
