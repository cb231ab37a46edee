import { ApiProperty } from '@nestjs/swagger';

export class DiskDto {
  @ApiProperty({ type: 'integer', description: 'Free bytes on the disk.', example: 52_613_349_376 })
  free_bytes!: number;
  @ApiProperty({ type: 'integer', description: 'Size of the disk in bytes.', example: 107_374_182_400 })
  total_bytes!: number;
  @ApiProperty({ description: 'Whether less space is free than `TRAWL_DISK_WARN_MB`.', example: false })
  is_low!: boolean;
}

export class WorkerDiskDto extends DiskDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ description: 'Name of the worker.', example: 'local' })
  name!: string;
}

export class PostgresSizeDto {
  @ApiProperty({ type: 'integer', description: 'Size of the platform’s database in bytes.', example: 734_003_200 })
  size_bytes!: number;
}

export class ObjectStoreHealthDto {
  @ApiProperty({ description: 'Name of the bucket.', example: 'trawl-echoes' })
  bucket!: string;
  @ApiProperty({ description: 'Whether the last request of this backend succeeded.', example: true })
  is_available!: boolean;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the first request failed. Null if the bucket is available.',
    example: null,
  })
  unavailable_since!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why that request failed. Null if the bucket is available.',
    example: null,
  })
  reason!: string | null;
}

export class WorkerVersionDto {
  @ApiProperty({ example: '0.2.0' })
  version!: string;
  @ApiProperty({ type: 'integer', description: 'Number of workers with this version.', example: 2 })
  count!: number;
}

export class VersionsDto {
  @ApiProperty({ description: 'Version of the backend that answers.', example: '0.2.0' })
  backend!: string;
  @ApiProperty({ type: [WorkerVersionDto], description: 'Versions of the workers that are connected.' })
  workers!: WorkerVersionDto[];
}

export class PlatformHealthDto {
  @ApiProperty({ type: DiskDto, description: 'Disk of the data folder of the backend that answers.' })
  disk!: DiskDto;
  @ApiProperty({ type: PostgresSizeDto })
  postgres!: PostgresSizeDto;
  @ApiProperty({
    type: WorkerDiskDto,
    isArray: true,
    description: 'Disks of the workers that are connected and report theirs, the fullest first; at most 100.',
  })
  worker_disks!: WorkerDiskDto[];
  @ApiProperty()
  versions!: VersionsDto;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When `trawl-admin backup` last wrote a backup. Null before its first backup. Trawl does not see other backups.',
    example: '2026-02-15T03:00:00.000Z',
  })
  last_backup_at!: string | null;
  @ApiProperty({
    type: ObjectStoreHealthDto,
    nullable: true,
    description:
      'Object store (S3) with saved echoes, as the backend that answers sees it. It makes a request every minute. Null if the platform has none.',
  })
  object_store!: ObjectStoreHealthDto | null;
}
