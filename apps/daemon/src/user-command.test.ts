import { expect, test } from 'vitest'
import { type Program, startCommand, userCommand } from './user-command.ts'

const checkout = { main: '/home/pi/smsgw/apps/agent/src/main.ts', service: undefined, dataDir: undefined }
const ofAgent = { main: '/usr/lib/smsgw/agent/main.js', service: undefined, dataDir: undefined }
const ofGateway = { main: '/usr/lib/smsgw/gateway/main.js', service: undefined, dataDir: undefined }
const agentOfGateway = { main: '/usr/lib/smsgw/agent/main.js', service: 'gateway', dataDir: undefined }
const gatewayOfCheckout = { ...checkout, main: '/home/pi/smsgw/apps/gateway/src/main.ts' }
const bundleOfCheckout = { ...checkout, main: '/home/pi/smsgw/.cache/programs/0f3a/gateway/main.js' }
const container = { main: '/app/agent/main.js', service: undefined, dataDir: undefined }

test.each<[Program, string, typeof checkout, string]>([
  ['agent', 'doctor', checkout, 'npm run agent -- doctor'],
  ['agent', 'doctor', ofAgent, 'sudo smsgw agent doctor'],
  ['agent', 'doctor', ofGateway, 'sudo smsgw gateway doctor'],
  ['agent', 'doctor', container, 'smsgw agent doctor'],
  ['gateway', '', checkout, 'npm start'],
  ['gateway', 'backup <file>', checkout, 'npm run gateway -- backup <file>'],
  ['agent', 'doctor', gatewayOfCheckout, 'npm run gateway -- doctor'],
  ['gateway', '', bundleOfCheckout, 'npm start'],
  ['agent', 'doctor', bundleOfCheckout, 'npm run gateway -- doctor'],
  ['gateway', 'backup <file>', ofGateway, 'sudo smsgw gateway backup <file>'],
  ['relay', '', checkout, 'npm run relay'],
  ['relay', 'restore <file>', ofGateway, 'sudo smsgw relay restore <file>'],
  ['modem', '/dev/ttyUSB2', ofAgent, 'sudo smsgw modem /dev/ttyUSB2'],
  ['modem', '/dev/ttyUSB2', container, 'smsgw modem /dev/ttyUSB2'],
  ['client', 'login <url>', checkout, 'npm run smsgw -- login <url>'],
  ['client', 'login <url>', { ...ofAgent, main: '/usr/lib/smsgw/smsgw/main.js' }, 'smsgw login <url>'],
])('shows %s %s as the command of the installation', (program, args, installation, command) => {
  expect(userCommand(program, args, installation)).toBe(command)
})

test('commands of the smsgw script contain the service for which it was started', () => {
  expect(userCommand('agent', 'status', agentOfGateway)).toBe('sudo smsgw gateway status')
  expect(startCommand('agent', agentOfGateway)).toBe('sudo systemctl start smsgw-gateway')
})

test('in the package, the start command starts a service; in other installations, it runs a command', () => {
  expect(startCommand('agent', ofAgent)).toBe('sudo systemctl start smsgw-agent')
  expect(startCommand('agent', checkout)).toBe('npm run agent -- run')
  expect(startCommand('gateway', checkout)).toBe('npm start')
  expect(startCommand('agent', gatewayOfCheckout)).toBe('npm start')
  expect(startCommand('agent', { ...bundleOfCheckout, dataDir: './second' })).toBe('DATA_DIR=./second npm start')
})

test('the start command contains DATA_DIR if it was set, unless the installation sets it', () => {
  const at = (dataDir: string) => startCommand('agent', { ...checkout, dataDir })
  expect(at('./second')).toBe('DATA_DIR=./second npm run agent -- run')
  expect(at("/srv/Ada's data")).toBe(`DATA_DIR='/srv/Ada'\\''s data' npm run agent -- run`)
  expect(startCommand('agent', { ...ofAgent, dataDir: '/var/lib/smsgw/agent' })).toBe(
    'sudo systemctl start smsgw-agent',
  )
  expect(startCommand('agent', { ...container, dataDir: '/data' })).toBe('smsgw agent run')
})
