import type { Request } from 'express';

/** The address that a request came from; an IPv4 address comes as itself, also over a socket that takes both kinds. */
export const seenAddress = (request: Request): string => (request.ip ?? '').replace(/^::ffff:(?=\d+\.)/, '');
