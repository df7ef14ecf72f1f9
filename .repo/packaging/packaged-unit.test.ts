import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { packagedUnit } from './packaged-unit.ts'

const root = resolve(import.meta.dirname, '../..')
const units = ['agent', 'bridge', 'gateway', 'relay'].map((app) => [
  app,
  readFileSync(join(root, `apps/${app}/system/smsgw-${app}.service`), 'utf8'),
])

test.each(units)(
  'the packaged unit of the %s runs the packaged program, and contains no path of a checkout',
  (app, unit = '') => {
    const text = packagedUnit(unit)
    expect(text).toMatch(new RegExp(`^ExecStart=/usr/lib/smsgw/bin/node( --\\S+)* /usr/lib/smsgw/${app}/main.js`, 'm'))
    expect(text).not.toMatch(/\/opt\/|bootstrap|npm|\.md/)
  },
)

test.each(units)('the %s may write only to its own folder, and cannot get more rights', (app, unit = '') => {
  for (const line of [
    `StateDirectory=smsgw/${app}`,
    `Environment=DATA_DIR=/var/lib/smsgw/${app}`,
    `EnvironmentFile=-/etc/smsgw/${app}.env`,
    'ProtectSystem=strict',
    'NoNewPrivileges=yes',
    'CapabilityBoundingSet=',
    'Restart=always',
  ]) {
    expect(unit.split('\n')).toContain(line)
  }
})

test('services with modems may use serial ports and devices that appear later', () => {
  const drivers = units.filter(([app = '']) => ['agent', 'gateway'].includes(app)).map(([, unit = '']) => unit)
  for (const unit of drivers) {
    expect(unit).toContain('\nSupplementaryGroups=dialout\n')
    expect(unit).not.toMatch(/^(ProtectClock|PrivateDevices|DevicePolicy|DeviceAllow)=/m)
  }
})

test('services with a database leave no shared memory of a killed database, and cannot use privileged system calls', () => {
  const [gateway = '', relay = ''] = units
    .filter(([app = '']) => ['gateway', 'relay'].includes(app))
    .map(([, unit = '']) => unit)
  for (const unit of [gateway, relay]) expect(unit).toMatch(/^RemoveIPC=yes$/m)
  expect(gateway).toMatch(/^SystemCallFilter=~@resources @privileged$/m)
  // A killed gateway cannot end PostgreSQL through setpriv here, so systemd stops the remaining processes of the
  // service.
  expect(gateway).toMatch(/^KillMode=mixed$/m)
})

test.each([
  ['gateway', ['--max-semi-space-size=8']],
  ['relay', ['--max-semi-space-size=32']],
])('the %s has the same memory flags in its command, unit, image and add-on', (app, flags) => {
  const command = readFileSync(join(root, 'apps/gateway/src/smsgw/main.ts'), 'utf8')
  const [, unit = ''] = units.find(([name]) => name === app) ?? []
  const image = readFileSync(join(import.meta.dirname, 'container/Dockerfile'), 'utf8')
  const addOn = readFileSync(join(root, 'deploy/home-assistant/smsgw/start'), 'utf8')
  const starts = [
    new RegExp(`^  ${app}: \\{[^}]*flags: (.*)`, 'm').exec(command)?.[1],
    /^ExecStart=.*$/m.exec(unit)?.[0],
    new RegExp(`^CMD .*${app}/main.js.*$`, 'm').exec(image)?.[0],
    ...(app === 'gateway' ? [/^ +node .*main\.js$/m.exec(addOn)?.[0]] : []),
  ]
  for (const start of starts) expect(start?.match(/--max[^\s"']*/g)).toEqual(flags)
})

test('refuses a unit that lacks one of the lines to be replaced', () => {
  expect(() => packagedUnit('[Service]\nExecStart=/bin/true\n')).toThrow('the unit has no line that matches')
})

test('each service has a documented settings file, and its settings name only paths that the installation created', () => {
  const folder = join(import.meta.dirname, 'debian/settings')
  expect(readdirSync(folder).sort()).toEqual(['agent.env', 'bridge.env', 'gateway.env', 'relay.env', 'router.env'])
  const set = readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => /^[^#]/.test(line)),
  )
  expect(set).toEqual(['SERVER_SECRET_FILE=/var/lib/smsgw/relay/server-secret'])
})

test('the packaged unit of the router runs the program of the relay as a router, with settings of its own', () => {
  const text = packagedUnit(readFileSync(join(root, 'apps/relay/system/smsgw-router.service'), 'utf8'))
  expect(text).toMatch(/^ExecStart=\/usr\/lib\/smsgw\/bin\/node( --\S+)* \/usr\/lib\/smsgw\/relay\/main\.js router$/m)
  expect(text).toContain('EnvironmentFile=-/etc/smsgw/router.env\n')
  expect(text).toContain('StateDirectory=smsgw/router\n')
  expect(text).not.toMatch(/\/opt\/|bootstrap|npm|\.md/)
})
