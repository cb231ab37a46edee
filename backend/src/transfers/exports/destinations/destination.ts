import type { EntityManager } from 'typeorm';
import type { DestinationDto } from './destination.dto.js';

/** A finished file that goes to a destination. */
export interface DeliveredFile {
  id: string;
  ownerId: string;
  path: string;
  name: string;
  contentType: string;
  bytes: number;
  rows: number;
  /** A URL at which anyone can download the file while Trawl keeps it. */
  link: string;
}

export interface ExportDestination {
  /**
   * Checks the fields of the destination.
   * @returns what to show as its target.
   * @throws {ApiError} 400.
   */
  check(destination: DestinationDto): string;
  /** Sends the file, or a link to it. May happen twice if the backend is killed. @throws {ApiError} if it fails. */
  send?(file: DeliveredFile, destination: DestinationDto, signal: AbortSignal): Promise<void>;
  /** Writes to the database in the transaction in which the export is done. */
  record?(transaction: EntityManager, file: DeliveredFile): Promise<void>;
}
