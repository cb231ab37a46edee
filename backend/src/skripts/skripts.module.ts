import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ArchivesController } from './archives.controller.js';
import { ArchivesService } from './archives.service.js';
import { BundlerService } from './bundler.service.js';
import { BundlesService } from './bundles.service.js';
import { Input } from './input.entity.js';
import { InputSecret } from './input-secret.entity.js';
import { InputSecretsController } from './input-secrets.controller.js';
import { InputSecretsService } from './input-secrets.service.js';
import { InputsController } from './inputs.controller.js';
import { InputsService } from './inputs.service.js';
import { LocksService } from './locks.service.js';
import { NewInputsService } from './new-inputs.service.js';
import { Skript } from './skript.entity.js';
import { SkriptFile } from './skript-file.entity.js';
import { SkriptFilesController } from './skript-files.controller.js';
import { SkriptFilesService } from './skript-files.service.js';
import { SkriptsController } from './skripts.controller.js';
import { SkriptsService } from './skripts.service.js';
import { VersionsController } from './versions.controller.js';
import { VersionsService } from './versions.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Skript, SkriptFile, Input, InputSecret])],
  controllers: [
    ArchivesController,
    SkriptsController,
    VersionsController,
    SkriptFilesController,
    InputsController,
    InputSecretsController,
  ],
  providers: [
    SkriptsService,
    SkriptFilesService,
    InputsService,
    InputSecretsService,
    NewInputsService,
    BundlesService,
    BundlerService,
    LocksService,
    VersionsService,
    ArchivesService,
  ],
  exports: [BundlesService, LocksService, InputsService, InputSecretsService],
})
export class SkriptsModule {}
