import type { Environment, RestartMode, SandboxLayer, SandboxLevel } from '@trawl/contracts';
import { Column, Entity } from 'typeorm';
import { BaseRow } from '../../platform/common/entity.js';

@Entity('workers')
export class Worker extends BaseRow {
  @Column('text')
  name!: string;

  /** True if every user may use the worker, false if only the users to whom it is assigned may. */
  @Column('boolean', { default: false })
  public!: boolean;

  /** The group whose key the worker connects with; null if it has a key of its own. */
  @Column('uuid', { nullable: true })
  group_id!: string | null;

  /** SHA-256 of the worker's key. For a worker of a group, of the key that its process got from the group's key. */
  @Column('bytea')
  key_hash!: Buffer;

  @Column('text', { nullable: true })
  ip_address!: string | null;

  @Column('text', { nullable: true })
  version!: string | null;

  @Column('text', { array: true, default: '{}' })
  environments!: Environment[];

  @Column('text', { nullable: true })
  chromium!: string | null;

  /** Versions of Node that run skripts, the default first. Empty if the worker does not send them. */
  @Column('text', { array: true, default: '{}' })
  nodes!: string[];

  @Column('text', { nullable: true })
  sandbox!: SandboxLevel | null;

  /** Empty until the worker connects for the first time. */
  @Column('json', { default: [] })
  sandbox_layers!: SandboxLayer[];

  @Column('integer', { default: 0 })
  slots!: number;

  /**
   * The boot id of the worker process that was told to restart. If the worker has another boot id, the restart is over.
   */
  @Column('uuid', { nullable: true })
  restart_boot_id!: string | null;

  @Column('text', { nullable: true })
  restart_mode!: RestartMode | null;
}
