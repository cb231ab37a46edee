import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Service {
  cap_drop?: string[];
  cap_add?: string[];
  cpu_shares?: number;
  environment?: Record<string, unknown>;
  mem_limit?: string;
  pids_limit?: number;
  read_only?: boolean;
  security_opt?: string[];
  shm_size?: string;
  tmpfs?: string[];
}

const { services } = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};

const PODMAN_NAMES: Record<string, string> = {
  'no-new-privileges:true': 'no-new-privileges',
  'systempaths=unconfined': 'unmask=ALL',
};

/** Returns the options of podman for the rights and limits that docker-compose.yml gives a service. */
export function rightsOf(service: string): string[] {
  const { cap_drop = [], cap_add = [], tmpfs = [], security_opt = [], ...rest } = services[service] as Service;
  const { read_only, cpu_shares, mem_limit, pids_limit, shm_size } = rest;
  const limits = { 'cpu-shares': cpu_shares, memory: mem_limit, 'pids-limit': pids_limit, 'shm-size': shm_size };
  return [
    ...cap_drop.map(name => `--cap-drop=${name}`),
    ...cap_add.map(name => `--cap-add=${name}`),
    ...tmpfs.map(mount => `--tmpfs=${mount}`),
    ...security_opt.map(option => `--security-opt=${PODMAN_NAMES[option] ?? option}`),
    `--read-only=${read_only === true}`,
    ...Object.entries(limits)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `--${name}=${value}`),
  ];
}
