import { SetMetadata } from '@nestjs/common';
import type { Request } from 'express';

export const AUDITED = 'trawl:audited';

export interface AuditedRoute {
  kind?: string;
  resourcesOf?: (answer: never) => unknown;
}

/**
 * Adds a GET route or a public route to the audit log. Other routes are in it by default.
 * @param kind of the resource in the response, if the operation id does not say it.
 * @param resourcesOf takes the resource, or an array of resources, from the response, if the response is more than that.
 */
export const Audited = (kind?: string, resourcesOf?: AuditedRoute['resourcesOf']) =>
  SetMetadata(AUDITED, { kind, resourcesOf } satisfies AuditedRoute);

const ACCOUNT = Symbol('audited account');
type Marked = Request & { [ACCOUNT]?: AuditedAccount };

interface AuditedAccount {
  id: string;
  username: string;
}

/** Tells the audit log which account a request without a token is about. */
export function auditedAs(request: Request, { id, username }: AuditedAccount): void {
  (request as Marked)[ACCOUNT] = { id, username };
}

export const auditedAccount = (request: Request): AuditedAccount | undefined => (request as Marked)[ACCOUNT];
