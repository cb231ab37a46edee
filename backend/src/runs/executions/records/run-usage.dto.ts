import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LIMITS, type RequestedHost, type UsageSample } from '@trawl/contracts';

/** Use of the machine by a run at one moment. */
export class UsageSampleDto implements UsageSample {
  @ApiProperty({ type: 'integer', description: 'Seconds since the start of `main.js`.', example: 8 })
  at_s!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Processor time since the previous sample, in percent of one core; null in the first sample.',
    example: 42,
  })
  cpu_percent!: number | null;
  @ApiProperty({
    type: 'integer',
    description: 'Memory of all its processes, with the files that they have written.',
    example: 96,
  })
  memory_mb!: number;
}

export class RequestedHostDto implements RequestedHost {
  @ApiProperty({
    description: `The host, with the port unless it is the usual one. Empty for all hosts after the first ${LIMITS.requestedHosts} together.`,
    example: 'shop.example',
  })
  host!: string;
  @ApiProperty({ type: 'integer', example: 60 })
  count!: number;
  @ApiPropertyOptional({
    type: 'integer',
    description: 'Responses with the status 403 or 429, or with a challenge for visitors. Missing if there were none.',
    example: 12,
  })
  blocked?: number;
}
