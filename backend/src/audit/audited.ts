import { SetMetadata } from '@nestjs/common';
import type { Request } from 'express';

export const AUDITED = 'trawl:audited';

/**
 * The route is in the audit log though it is a GET or asks for no token; routes of other methods are by themselves.
 * `kind`: of the thing that the answer is, where the name of the operation does not say it.
 */
export const Audited = (kind?: string) => SetMetadata(AUDITED, { kind });

const ACCOUNT = Symbol('the account that a request without a token is about');
type Marked = Request & { [ACCOUNT]?: AuditedAccount };

interface AuditedAccount {
  id: string;
  username: string;
}

/** Says whose account a request without a token is about. */
export function auditedAs(request: Request, { id, username }: AuditedAccount): void {
  (request as Marked)[ACCOUNT] = { id, username };
}

export const auditedAccount = (request: Request): AuditedAccount | undefined => (request as Marked)[ACCOUNT];
