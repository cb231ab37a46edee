import { Module } from '@nestjs/common';
import { OutgoingHttp } from './outgoing-http.service.js';

@Module({ providers: [OutgoingHttp], exports: [OutgoingHttp] })
export class OutgoingModule {}
