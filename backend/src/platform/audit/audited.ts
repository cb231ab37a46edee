import { SetMetadata } from '@nestjs/common';
import type { Request } from 'express';

export const AUDITED = 'trawl:audited';

export interface AuditedRoute {
  kind?: string;
  resourcesOf?: (answer: never) => unknown;
}

/**
 * Adds a GET route or a public route to the audit log. Other routes are in it by default, unless the scope `read` is
 * enough for them.
 * @param kind of the resource in the response, if the operation id does not say it.
 * @param resourcesOf takes the resource, or an array of resources, from the response, if the response is more than that.
 */
export const Audited = (kind?: string, resourcesOf?: AuditedRoute['resourcesOf']) =>
  SetMetadata(AUDITED, { kind, resourcesOf } satisfies AuditedRoute);

/** Leaves a route out of the audit log: the panel calls it by itself, and it changes nothing that anybody looks for. */
export const NotAudited = () => SetMetadata(AUDITED, false);

const ACCOUNT = Symbol('audited account');
const MANY = Symbol('audited resources');
type Marked = Request & { [ACCOUNT]?: AuditedAccount; [MANY]?: AuditedMany };

interface AuditedAccount {
  id: string;
  username: string;
}

/** Tells the audit log which account a request without a token is about. */
export function auditedAs(request: Request, { id, username }: AuditedAccount): void {
  (request as Marked)[ACCOUNT] = { id, username };
}

export const auditedAccount = (request: Request): AuditedAccount | undefined => (request as Marked)[ACCOUNT];

interface AuditedMany {
  kind: string;
  ids: string[];
  /** Such as `12 runs`. */
  name: string;
}

/** Tells the audit log which resources a call changed whose path and answer name none. They share one entry. */
export function auditedMany(request: Request, many: AuditedMany): void {
  (request as Marked)[MANY] = many;
}

export const auditedResources = (request: Request): AuditedMany | undefined => (request as Marked)[MANY];
