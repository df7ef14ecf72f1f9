import { UsageError } from '@smsgw/daemon/start-error'
import { expect, test } from 'vitest'
import { readArguments } from './arguments.ts'

const nothing = { pin: undefined, trace: 'none' }
const run = (command: object, settings: object = {}) => ({
  do: 'run',
  address: '/dev/ttyUSB2',
  command,
  ...nothing,
  ...settings,
})

test.each<[string, object]>([
  ['/dev/ttyUSB2', run({ name: 'watch' })],
  ['/dev/ttyUSB2 watch --trace', run({ name: 'watch' }, { trace: 'masked' })],
  ['/dev/ttyUSB2 identify --pin 1234 --unmasked', run({ name: 'identify' }, { pin: '1234', trace: 'unmasked' })],
  ['/dev/ttyUSB2 list', run({ name: 'list' })],
  ['/dev/ttyUSB2 receive', run({ name: 'receive', remove: false })],
  ['/dev/ttyUSB2 receive --delete', run({ name: 'receive', remove: true })],
  ['/dev/ttyUSB2 delete sm 0', run({ name: 'delete', memory: 'SM', index: 0 })],
  ['/dev/ttyUSB2 delete all', run({ name: 'delete-all' })],
  ['/dev/ttyUSB2 ussd *100# 1', run({ name: 'ussd', codes: ['*100#', '1'] })],
  [
    '/dev/ttyUSB2 send +447700900123 two words --report',
    run({ name: 'send', to: '+447700900123', text: 'two words', report: true, flash: false }),
  ],
  ['--help', { do: 'help' }],
  ['/dev/ttyUSB2 frobnicate --help', { do: 'help' }],
])('%s', (line, request) => {
  expect(readArguments(line.split(' '))).toEqual(request)
})

test.each<[string, string]>([
  ['', 'no port given. Use a device such as /dev/ttyUSB2, or tcp://host:port'],
  [
    '/dev/ttyUSB2 frobnicate',
    'unknown command "frobnicate"; use watch, identify, send, receive, list, delete, ussd, record, --help',
  ],
  ['/dev/ttyUSB2 --frobnicate', 'unknown option --frobnicate; npm run modem -- --help lists the options'],
  ['/dev/ttyUSB2 --pin', '--pin needs a value: --pin <digits>'],
  ['/dev/ttyUSB2 idnetify', 'unknown command "idnetify"; did you mean identify?'],
  ['/dev/ttyUSB2 receive --delte', 'unknown option --delte; did you mean --delete?'],
  ['/dev/ttyUSB2 list all', 'list takes no arguments; remove all'],
  ['/dev/ttyUSB2 send +447700900123', 'send needs a number and a text'],
  ['/dev/ttyUSB2 send Alice hello', 'Alice is not a valid number: write it like +447700900123'],
  [
    '/dev/ttyUSB2 delete SM',
    '"delete" needs "all", or a memory and an index from the output of "list", for example SM 3',
  ],
  [
    '/dev/ttyUSB2 delete SM three',
    '"delete" needs "all", or a memory and an index from the output of "list", for example SM 3',
  ],
  ['/dev/ttyUSB2 ussd', 'ussd needs a code, such as *100#'],
])('%s is refused: %s', (line, message) => {
  expect(() => readArguments(line.split(' ').filter(Boolean))).toThrow(new UsageError(message))
})
