import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../src/house/api-client.ts'
import type { Balancer } from '../src/house/fleet.ts'
import { freePort } from '../src/house/machine/free-port.ts'
import { HouseProcess, ROOT } from '../src/house/machine/process.ts'
import { createCertificate } from './certificates.ts'

/** Starts HAProxy with the configuration of `deploy/ha`. Uses no TLS, because the clients are on this machine. */
export async function startBalancer(folder: string, relayPorts: readonly number[]): Promise<Balancer> {
  const text = readFileSync(join(ROOT, 'deploy/ha/haproxy.cfg'), 'utf8')
  const port = await freePort()
  const settings = {
    LISTEN: `127.0.0.1:${port}`,
    CERTIFICATE: join(folder, 'balancer.pem'),
    RELAY1: `127.0.0.1:${relayPorts[0]}`,
    RELAY2: `127.0.0.1:${relayPorts[1]}`,
  }
  createCertificate(settings.CERTIFICATE)
  const path = `${process.env['PATH']}:/usr/sbin`
  const check = ['-c', '-f', join(ROOT, 'deploy/ha/haproxy.cfg')]
  execFileSync('haproxy', check, { env: { PATH: path, ...settings }, stdio: ['ignore', 'ignore', 'pipe'] })
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, text.replace(/ ssl crt .*$/m, ''))
  const haproxy = new HouseProcess('haproxy', 'haproxy', ['-f', file], { ...settings, PATH: path }, { folder })
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ status }) => status,
      () => 0,
    )
  await eventually(isUp, (status) => status === 200 || haproxy.isOver, 120_000)
  if (haproxy.isOver) throw new Error(`haproxy ended: ${haproxy.complaints}`)
  return { port, stop: () => haproxy.kill() }
}
