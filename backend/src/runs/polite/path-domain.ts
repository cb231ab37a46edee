import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { POLITE_LIMITS, politeDomain } from '@trawl/contracts';
import { ApiError } from '../../platform/common/errors.js';

const NAME = 'domain';
const EXAMPLE = 'shop.example';

const DomainPipe: PipeTransform<string, string> = {
  transform(value) {
    const domain = politeDomain(value);
    if (domain !== null) return domain;
    const message = `${NAME} must be a host such as ${EXAMPLE} or ${EXAMPLE}:8080, or *`;
    throw new ApiError('validation_failed', `${message}; you sent ${value.slice(0, 100)}.`, [{ field: NAME, message }]);
  },
};

/** Injects the domain of the path into the handler, as polite runs name it. */
export const PathDomain = (): ParameterDecorator => (target, key, index) => {
  Param(NAME, DomainPipe)(target, key, index);
  const handler = key && Object.getOwnPropertyDescriptor(target, key);
  if (!handler) return;
  const schema = { type: 'string', minLength: 1, maxLength: POLITE_LIMITS.domainChars, example: EXAMPLE } as const;
  const description = 'A host, with its port if this is not the default port, or `*` for the default of the account.';
  ApiParam({ name: NAME, description, schema, example: EXAMPLE })(target, key, handler);
};
