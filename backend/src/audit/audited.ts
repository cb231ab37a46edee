import { SetMetadata } from '@nestjs/common';
import type { Request } from 'express';

export const AUDITED = 'trawl:audited';

/**
 * Adds a GET route or a public route to the audit log. Other routes are in it by default.
 * @param kind of the resource in the response, if the operation id does not say it.
 */
export const Audited = (kind?: string) => SetMetadata(AUDITED, { kind });

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
