import { ApiProperty } from '@nestjs/swagger';
import { NOTICE_EVENTS, NOTICE_SUBJECTS, type NoticeEvent, type NoticeSubject } from '@trawl/contracts';
import { EntityDto } from '../../common/entity.js';

export class NoticeSubjectDto {
  @ApiProperty({ enum: NOTICE_SUBJECTS, example: 'schedule' })
  kind!: NoticeSubject;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Its id; for an issue or rows, the id of the run. Null for a quota.',
    example: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  })
  id!: string | null;
}

/** Something that happened in the account. */
export class NoticeDto extends EntityDto {
  @ApiProperty({
    enum: NOTICE_EVENTS,
    description:
      'An event of webhooks, `issue.opened` for a failure that is new or came back, or `webhook.disabled`. Single runs make no notices.',
    example: 'schedule.missed',
  })
  event!: NoticeEvent;
  @ApiProperty({
    description: 'Message for people.',
    example: 'Your schedule “Books, every morning” missed fires',
  })
  text!: string;
  @ApiProperty({ description: 'The thing that the notice is about. It may have been deleted since.' })
  subject!: NoticeSubjectDto;
  @ApiProperty({ description: 'Whether you have read it.', example: false })
  read!: boolean;
}

export class ReadNoticesDto {
  @ApiProperty({ type: 'integer', description: 'Number of notices that were unread.', example: 3 })
  read!: number;
}
