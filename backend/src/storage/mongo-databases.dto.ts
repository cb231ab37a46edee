import { ApiProperty } from '@nestjs/swagger';
import { EntityDto } from '../common/entity.js';

export class MongoDatabaseDto extends EntityDto {
  @ApiProperty({ example: 'main' })
  name!: string;
}

export class MongoCollectionDto {
  @ApiProperty({ example: 'books' })
  name!: string;

  @ApiProperty({ description: 'How many documents it has.', type: 'integer', example: 1000 })
  count!: number;

  @ApiProperty({ description: 'Bytes of its documents, before compression.', type: 'integer', example: 182_400 })
  size!: number;
}
