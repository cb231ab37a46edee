const MIB = 1024 * 1024;

/**
 * Maximum number of concurrent runs on a worker. Higher than the number of cores, because skripts mostly wait for the
 * network.
 */
export function slotCount(cores: number, memoryBytes: number): number {
  return Math.max(4, Math.min(32, 4 * cores, Math.floor(memoryBytes / (256 * MIB))));
}
