import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StorageModule } from '../storage/storage.module.js';
import { FirstAccountsService } from './first-accounts.service.js';
import { User } from './user.entity.js';

@Module({
  imports: [TypeOrmModule.forFeature([User]), StorageModule],
  providers: [FirstAccountsService],
  exports: [TypeOrmModule],
})
export class UsersModule {}
