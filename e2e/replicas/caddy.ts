import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DebianServer } from '@trawl/embedded/debian-server';

/** Starts Caddy as a load balancer without sticky sessions, as in production but without TLS. */
export async function startCaddy(folder: string, port: number, backends: string[]): Promise<DebianServer> {
  const config = join(folder, 'Caddyfile');
  writeFileSync(
    config,
    `{
	admin off
	auto_https off
}
http://127.0.0.1:${port} {
	bind 127.0.0.1
	reverse_proxy ${backends.map(url => new URL(url).host).join(' ')} {
		health_uri /health/ready
		health_interval 500ms
		health_timeout 3s
		lb_try_duration 5s
	}
}
`,
  );
  const caddy = new DebianServer({
    name: 'caddy',
    packages: ['caddy'],
    program: 'usr/bin/caddy',
    args: ['run', '--adapter', 'caddyfile', '--config', config],
    env: { HOME: folder },
    readyText: 'serving initial configuration',
  });
  await caddy.start();
  return caddy;
}
