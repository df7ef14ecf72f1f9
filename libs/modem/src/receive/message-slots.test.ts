import { expect, test } from 'vitest'
import { DrivenModem, deliverPdu } from '../testing/driven-modem.ts'

const oneMemory = {
  'AT+CPMS=?': '+CPMS: ("SM"),("SM"),("SM")',
  'AT+CPMS=*': '+CPMS: 1,20,1,20,1,20',
  'AT+CMGR=*': '+CMS ERROR: 321',
  'AT+CMGR=3': `+CMGR: 1,,31\n${deliverPdu}`,
}

test('messages are read by index if the modem refuses each listing, for example because of a damaged message', async () => {
  const driven = new DrivenModem({ ...oneMemory, 'AT+CMGL=4': '+CMS ERROR: 500' })
  await driven.session()
  await driven.pass(120_000)
  expect(driven.kinds('incoming')).toMatchObject([
    { incoming: { source: { kind: 'stored', memory: 'SM', index: 3 }, pdu: deliverPdu } },
  ])
})

test('messages are listed again after a busy SIM has refused a listing', async () => {
  const driven = new DrivenModem({
    ...oneMemory,
    'AT+CMGL=4': ['+CMS ERROR: 314', `+CMGL: 3,1,,31\n${deliverPdu}`],
  })
  await driven.session()
  await driven.pass(120_000)
  expect(driven.kinds('incoming')).toHaveLength(1)
  expect(driven.port.commands.filter((command) => command.startsWith('AT+CMGR'))).toEqual([])
})

test('messages are read by index if one memory refuses each listing and the other memory does not', async () => {
  const driven = new DrivenModem({ ...oneMemory, 'AT+CPMS=?': '+CPMS: ("SM","ME"),("SM","ME"),("SM","ME")' })
  const usual = driven.port.reply
  driven.port.reply = (line) => {
    const memory = /^AT\+CPMS="(..)"/.exec(line)?.[1]
    if (memory !== undefined) driven.port.answer('AT+CMGL=4', memory === 'SM' ? '+CMS ERROR: 500' : 'OK')
    return usual(line)
  }
  await driven.session()
  await driven.pass(300_000)
  expect(driven.kinds('incoming')).toMatchObject([{ incoming: { source: { kind: 'stored', index: 3 } } }])
})

test('a message that is read by index is reported once although the SIM is busy at a later reading', async () => {
  const driven = new DrivenModem({
    ...oneMemory,
    'AT+CMGL=4': 'ERROR',
    'AT+CMGR=3': [`+CMGR: 1,,31\n${deliverPdu}`, '+CMS ERROR: 314', `+CMGR: 1,,31\n${deliverPdu}`],
  })
  await driven.session()
  await driven.pass(200_000)
  expect(driven.port.commands.filter((command) => command === 'AT+CMGR=3').length).toBeGreaterThan(2)
  expect(driven.kinds('incoming')).toHaveLength(1)
})
