import { ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_CONTRACT_ROWS, MAX_FRESH_HOURS, ON_BROKEN, type OnBroken } from '@trawl/contracts';

/** Documentation of a contract. `readRowContract` checks it. */
export class RowContractDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_CONTRACT_ROWS,
    description: 'Least number of rows.',
    example: 200,
  })
  min?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_CONTRACT_ROWS,
    description: 'Largest number of rows.',
    example: 5_000,
  })
  max?: number;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }],
    description: 'The field that identifies a row, or a list of fields.',
    example: 'sku',
  })
  key?: string | string[];

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'number', minimum: 0, maximum: 1 },
    description: 'Smallest share of rows in which a field has a value, by its dotted path of up to four names.',
    example: { price: 0.95 },
  })
  fill?: Record<string, number>;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'JSON Schema of each row (draft 2020-12, or draft-07 if `$schema` names it). It must be self-contained: each `$ref` begins with `#`.',
    example: { type: 'object', required: ['sku'], properties: { price: { type: 'number', minimum: 0 } } },
  })
  schema?: object;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_FRESH_HOURS,
    description: 'At least one good run must end within this number of hours.',
    example: 26,
  })
  fresh_hours?: number;

  @ApiPropertyOptional({
    enum: ON_BROKEN,
    default: 'notify',
    description:
      'Effect of a broken verdict, in addition to the notification. `notify`: nothing. `fail`: the run ends with the error `rows_broken`. `hold`: exports leave out the rows until you accept them.',
  })
  on_broken?: OnBroken;
}
