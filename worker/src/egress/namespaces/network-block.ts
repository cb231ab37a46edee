import type { Server } from 'node:net';
import { claimSocket } from '../../process/user-block.js';

const BLOCKS = 64;
/** Number of addresses of a block. It must be a power of two. */
const BLOCK_SIZE = 1_024;
/** The addresses before this one belong to the host, the router and the probe. */
const FIRST_SLOT = 16;
/** Length of the name of each abstract socket, in bytes (see `user-block.ts`). */
const NAME_BYTES = 108;

/**
 * The names and addresses of one worker's networks. Two workers on one machine have different blocks. The addresses are
 * from 198.18.0.0/15, which is reserved for tests of network devices, so no network that a run may reach uses them.
 */
export class NetworkBlock {
  readonly index: number;
  readonly #claim: Server;

  private constructor(index: number, claim: Server) {
    this.index = index;
    this.#claim = claim.unref();
  }

  /** Claims a free block. Returns null if all are taken, or if the system has no abstract sockets. */
  static async claim(): Promise<NetworkBlock | null> {
    for (let index = 0; index < BLOCKS; index += 1) {
      const block = await NetworkBlock.claimIndex(index);
      if (block) return block;
    }
    return null;
  }

  /** Claims this block. Returns null if a process has it. The kernel releases the block when the process ends. */
  static async claimIndex(index: number): Promise<NetworkBlock | null> {
    const claim = await claimSocket(claimOf(index));
    return claim && new NetworkBlock(index, claim);
  }

  /** Name of the abstract socket that claims the block. */
  get claim(): string {
    return claimOf(this.index);
  }

  /** Name of the interface and of the table of rules on the host, and begin of the names of all namespaces. */
  get name(): string {
    return nameOf(this.index);
  }

  get router(): string {
    return `${this.name}-router`;
  }

  get probe(): string {
    return `${this.name}-probe`;
  }

  slot(slotIndex: number): string {
    return `${this.name}-${slotIndex}`;
  }

  /** All addresses of the block, in CIDR notation. */
  get network(): string {
    return `${this.#address(0)}/${32 - Math.log2(BLOCK_SIZE)}`;
  }

  get hostAddress(): string {
    return this.#address(1);
  }

  get routerAddress(): string {
    return this.#address(2);
  }

  /** Address of the host towards the namespace of the probe. */
  get probeGateway(): string {
    return this.#address(3);
  }

  get probeAddress(): string {
    return this.#address(4);
  }

  slotAddress(slotIndex: number): string {
    return this.#address(FIRST_SLOT + slotIndex);
  }

  release(): void {
    this.#claim.close();
  }

  #address(offset: number): string {
    const number = this.index * BLOCK_SIZE + offset;
    return `198.18.${number >> 8}.${number & 255}`;
  }
}

/** Largest number of slots that have an address in a block. */
export const MAX_NETWORK_SLOTS = BLOCK_SIZE - FIRST_SLOT - 1;

const claimOf = (index: number): string => `\0trawl-worker-network-${index}`.padEnd(NAME_BYTES, '-');

const nameOf = (index: number): string => `trawl${index}`;
