import { expect, test } from 'vitest'
import { asStarted, asTyped, type Program } from './as-typed.ts'

const checkout = { main: '/home/pi/smsgw/apps/agent/src/main.ts', service: undefined }
const ofAgent = { main: '/usr/lib/smsgw/agent/main.js', service: undefined }
const ofGateway = { main: '/usr/lib/smsgw/gateway/main.js', service: undefined }
const askedOfGateway = { main: '/usr/lib/smsgw/agent/main.js', service: 'gateway' }
const container = { main: '/app/agent/main.js', service: undefined }

test.each<[Program, string, typeof checkout, string]>([
  ['agent', 'doctor', checkout, 'npm run agent -- doctor'],
  ['agent', 'doctor', ofAgent, 'sudo smsgw agent doctor'],
  ['agent', 'doctor', ofGateway, 'sudo smsgw gateway doctor'],
  ['agent', 'doctor', container, 'node agent/main.js doctor'],
  ['gateway', '', checkout, 'npm start'],
  ['gateway', 'backup <file>', checkout, 'npm run backup -- <file>'],
  ['gateway', 'backup <file>', ofGateway, 'sudo smsgw gateway backup <file>'],
  ['relay', '', checkout, 'npm run relay'],
  ['relay', 'restore <file>', ofGateway, 'sudo smsgw relay restore <file>'],
  ['modem', '/dev/ttyUSB2', ofAgent, 'sudo smsgw modem /dev/ttyUSB2'],
  ['modem', '/dev/ttyUSB2', container, 'node agent/modem-tool.js /dev/ttyUSB2'],
])('%s %s is shown as it is typed in this kind of installation', (program, args, installation, typed) => {
  expect(asTyped(program, args, installation)).toBe(typed)
})

test('commands of the smsgw script name the service that it was started for', () => {
  expect(asTyped('agent', 'status', askedOfGateway)).toBe('sudo smsgw gateway status')
  expect(asStarted('agent', askedOfGateway)).toBe('sudo systemctl start smsgw-gateway')
})

test('the package starts a service, other installations run a command', () => {
  expect(asStarted('agent', ofAgent)).toBe('sudo systemctl start smsgw-agent')
  expect(asStarted('agent', checkout)).toBe('npm run agent -- run')
  expect(asStarted('gateway', checkout)).toBe('npm start')
})
