import { ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { ANY_JSON, Holding } from '../fields.js';

/** Accepts and ignores read-only fields in a PUT, so that clients can send an entity back as they received it. */
export const IgnoredFields =
  (...names: string[]): ClassDecorator =>
  target => {
    for (const name of names) {
      Allow()(target.prototype, name);
      Holding('any JSON')(target.prototype, name);
      ApiPropertyOptional({ ...ANY_JSON, readOnly: true, description: 'Read-only. Ignored when you send it.' })(
        target.prototype,
        name,
      );
    }
  };
