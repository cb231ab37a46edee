import { ApiProperty } from '@nestjs/swagger';
import { LIMITS } from '@trawl/contracts';
import { IntField, StringField } from '../../../platform/http/fields.js';

export class AnswerQuestionDto {
  @IntField({
    description: 'The `seq` of the echo of type `question`.',
    min: 1,
    max: 2_147_483_647,
  })
  seq!: number;

  @StringField({
    description: 'The answer. If the question has choices, exactly one of them. Trawl does not save it with the run.',
    example: 'last',
    max: LIMITS.answerChars,
  })
  answer!: string;
}

export class AnsweredDto {
  @ApiProperty({
    description:
      'True if the run has the answer. False if its worker is not connected or does not acknowledge the answer in time: Trawl then delivers it later, unless the question is closed by then.',
    example: true,
  })
  delivered!: boolean;
}
