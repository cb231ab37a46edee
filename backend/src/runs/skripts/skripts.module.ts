import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ArchivesController } from './archives/archives.controller.js';
import { ArchivesService } from './archives/archives.service.js';
import { BundlerService } from './bundles/bundler.service.js';
import { BundlesController } from './bundles/bundles.controller.js';
import { BundlesService } from './bundles/bundles.service.js';
import { LocksService } from './bundles/locks.service.js';
import { SchemaThreads } from './contracts/schema-threads.service.js';
import { SkriptFile } from './files/skript-file.entity.js';
import { SkriptFilesController } from './files/skript-files.controller.js';
import { SkriptFilesService } from './files/skript-files.service.js';
import { Input } from './inputs/input.entity.js';
import { InputSecret } from './inputs/input-secret.entity.js';
import { InputSecretsController } from './inputs/input-secrets.controller.js';
import { InputSecretsService } from './inputs/input-secrets.service.js';
import { InputWritesService } from './inputs/input-writes.service.js';
import { InputsController } from './inputs/inputs.controller.js';
import { InputsService } from './inputs/inputs.service.js';
import { LibraryTypesController } from './library-types/library-types.controller.js';
import { LibraryTypesService } from './library-types/library-types.service.js';
import { Skript } from './skript.entity.js';
import { SkriptsController } from './skripts.controller.js';
import { SkriptsService } from './skripts.service.js';
import { VersionsController } from './versions/versions.controller.js';
import { VersionsService } from './versions/versions.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Skript, SkriptFile, Input, InputSecret])],
  controllers: [
    ArchivesController,
    SkriptsController,
    BundlesController,
    LibraryTypesController,
    VersionsController,
    SkriptFilesController,
    InputsController,
    InputSecretsController,
  ],
  providers: [
    SkriptsService,
    SchemaThreads,
    SkriptFilesService,
    InputsService,
    InputSecretsService,
    InputWritesService,
    BundlesService,
    BundlerService,
    LocksService,
    LibraryTypesService,
    VersionsService,
    ArchivesService,
  ],
  exports: [BundlesService, LocksService, InputsService, InputSecretsService, SchemaThreads],
})
export class SkriptsModule {}
