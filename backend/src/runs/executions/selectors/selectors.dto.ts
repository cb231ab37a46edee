import { ApiProperty } from '@nestjs/swagger';
import { StringField } from '../../../platform/http/fields.js';

export class RowSelectorsQuery {
  @StringField({
    description:
      '`target` of the finding. Trawl knows old values of `dataset`, and of collections such as `mongodb:books`. Without it, Trawl takes the first target in which the last good run stored rows.',
    example: 'dataset',
    min: 1,
    max: 200,
    optional: true,
  })
  target?: string;
}

export class SelectorsQuery extends RowSelectorsQuery {
  @StringField({
    description: 'Path of the field that became empty, such as `price` or `shop.city`.',
    example: 'price',
    min: 1,
    max: 200,
    pattern: /^[^$.][^$]*$/,
    expected: 'the path of a field',
  })
  field!: string;
}

class SelectorDto {
  @ApiProperty({ example: '.buy-box .amount', description: 'A CSS selector.' })
  selector!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The attribute that has the value; null if it is the text.',
    example: null,
  })
  attribute!: string | null;
  @ApiProperty({
    type: 'integer',
    description: 'Number of pages on which most selected elements have old values or similar values.',
    example: 47,
  })
  pages!: number;
  @ApiProperty({ example: '£12.50', description: 'The first value that it finds.' })
  example!: string;
}

export class SelectorsDto {
  @ApiProperty({ type: [SelectorDto], description: 'At most three, the best first.' })
  items!: SelectorDto[];
  @ApiProperty({ type: 'integer', description: 'Number of HTML pages that Trawl has compared.', example: 50 })
  pages!: number;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why there is no suggestion; null if there is one.',
    example: null,
  })
  reason!: string | null;
}

class RowSelectorDto {
  @ApiProperty({ example: '[data-sku]', description: 'A CSS selector.' })
  selector!: string;
  @ApiProperty({ type: 'integer', description: 'Number of pages with such elements.', example: 3 })
  pages!: number;
  @ApiProperty({ type: 'integer', description: 'Number of elements on all pages.', example: 60 })
  rows!: number;
}

class FieldSelectorsDto {
  @ApiProperty({ example: 'price', description: 'Path of the field.' })
  field!: string;
  @ApiProperty({ type: [SelectorDto], description: 'At most three, the best first.' })
  items!: SelectorDto[];
}

export class RowSelectorsDto {
  @ApiProperty({
    type: RowSelectorDto,
    nullable: true,
    description: 'CSS selector of the elements that have one row each. Null if the pages repeat no element.',
  })
  row!: RowSelectorDto | null;
  @ApiProperty({ type: [FieldSelectorsDto], description: 'At most eight fields of the missing rows.' })
  fields!: FieldSelectorsDto[];
  @ApiProperty({
    type: 'integer',
    description: 'Number of HTML pages that Trawl has compared. If the run stored rows, only those with missing rows.',
    example: 3,
  })
  pages!: number;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why there is no suggestion; null if there is one.',
    example: null,
  })
  reason!: string | null;
}
