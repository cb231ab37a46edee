import { ApiProperty } from '@nestjs/swagger';
import { Column, PrimaryColumn } from 'typeorm';

/** Columns of every entity. The backend generates ids as UUIDv7, so that sorting by id means sorting by time. */
export abstract class BaseRow {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updated_at!: Date;
}

/** Fields of every entity in API responses. */
export abstract class EntityDto {
  @ApiProperty({ format: 'uuid', example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' })
  id!: string;

  @ApiProperty({ format: 'date-time', example: '2026-02-15T09:30:00.000Z' })
  created_at!: string;

  @ApiProperty({ format: 'date-time', example: '2026-02-15T09:30:00.000Z' })
  updated_at!: string;
}

export const entityFields = (row: BaseRow): EntityDto => ({
  id: row.id,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** Response of every DELETE: the number of deleted rows of each kind. */
export class DeletedDto {
  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' }, example: { skripts: 1, skript_files: 3 } })
  deleted!: Record<string, number>;
}
