import { ApiProperty } from '@nestjs/swagger';
import type { BundleProblem } from '@trawl/contracts';

/** A problem with its position in the user's files. `line` and `column` count from 1. */
class BundleProblemDto implements BundleProblem {
  @ApiProperty()
  message!: string;
  @ApiProperty({ type: String, nullable: true, example: 'lib/parse.js' })
  file!: string | null;
  @ApiProperty({ type: 'integer', nullable: true })
  line!: number | null;
  @ApiProperty({ type: 'integer', nullable: true })
  column!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Text of that line.' })
  line_text!: string | null;
}

export class BundleDto {
  @ApiProperty({ description: 'SHA-256 of the bundle, in hex.' })
  hash!: string;
  @ApiProperty({ type: 'integer', description: 'Size with the source map, in bytes.' })
  size!: number;
  @ApiProperty({ type: [BundleProblemDto] })
  warnings!: BundleProblem[];
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'SHA-256 of the lock of its npm libraries, in hex. The lock fixes the version of each library. Null if package.json names no libraries.',
  })
  lock!: string | null;
}
