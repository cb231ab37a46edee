import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EVENT_TYPES } from '@trawl/contracts';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, ValidateIf } from 'class-validator';
import { Holding } from '../http/fields.js';

/** A list of event types without duplicates. */
export const EventsField = (options: { description: string; minItems: 0 | 1; optional?: boolean }) => {
  const { optional = false, ...documentation } = options;
  const api = {
    ...documentation,
    type: 'array' as const,
    items: { type: 'string' as const, enum: EVENT_TYPES },
    maxItems: EVENT_TYPES.length,
    uniqueItems: true,
    example: ['run.failed', 'schedule.missed'],
  };
  return applyDecorators(
    optional ? ApiPropertyOptional(api) : ApiProperty(api),
    ...(optional ? [ValidateIf((_, value) => value !== undefined)] : []),
    Holding({ atMost: EVENT_TYPES.length }),
    IsArray(),
    ArrayMinSize(options.minItems),
    ArrayMaxSize(EVENT_TYPES.length),
    ArrayUnique({ message: '$property must name each event once' }),
    IsIn(EVENT_TYPES, { each: true, message: `each of $property must be one of ${EVENT_TYPES.join(', ')}` }),
  );
};
