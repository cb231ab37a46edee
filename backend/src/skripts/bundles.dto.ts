import { ApiProperty } from '@nestjs/swagger';
import type { BundleProblem } from '@trawl/contracts';

/** A place in the user's own files; `line` and `column` count from 1. */
class BundleProblemDto implements BundleProblem {
  @ApiProperty()
  message!: string;
  @ApiProperty({ type: String, nullable: true, example: 'lib/parse.js' })
  file!: string | null;
  @ApiProperty({ type: 'integer', nullable: true })
  line!: number | null;
  @ApiProperty({ type: 'integer', nullable: true })
  column!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'The text of that line.' })
  line_text!: string | null;
}

export class BundleDto {
  @ApiProperty({ description: 'SHA-256 of the bundle, in hex.' })
  hash!: string;
  @ApiProperty({ type: 'integer', description: 'In bytes, with its source map.' })
  size!: number;
  @ApiProperty({ type: [BundleProblemDto] })
  warnings!: BundleProblem[];
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'SHA-256 of the lock of its npm libraries, in hex: which version there is of each. Null when package.json names none.',
  })
  lock!: string | null;
}
