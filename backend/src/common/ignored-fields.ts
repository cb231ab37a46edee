import { ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { ANY_JSON, Holding } from './fields.js';

/** Read-only fields of an entity, which a PUT may send back as they came and which change nothing. */
export const IgnoredFields =
  (...names: string[]): ClassDecorator =>
  target => {
    for (const name of names) {
      Allow()(target.prototype, name);
      Holding('any JSON')(target.prototype, name);
      ApiPropertyOptional({ ...ANY_JSON, readOnly: true, description: 'Ignored: it may be sent back as it came.' })(
        target.prototype,
        name,
      );
    }
  };
