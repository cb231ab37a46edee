import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SandboxLayers1741000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE workers ADD COLUMN sandbox_layers json NOT NULL DEFAULT '[]'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE workers DROP COLUMN sandbox_layers');
  }
}
