import { expect, test } from 'vitest'
import { DrivenModem } from '../testing/driven-modem.ts'

const refusing = { 'AT+CPMS=*': 'ERROR', 'AT+CPMS?': '+CPMS: "ME",0,23,"SM",1,30,"SM",1,30' }

test('sets a modem up again that can select memories only minutes after setup, and reads all its memories', async () => {
  const driven = new DrivenModem(refusing)
  const session = await driven.session()
  expect(session.shortcomings).toContain('memory-not-selectable')
  expect(session.messages.memories).toEqual(['ME'])
  driven.port.answer('AT+CPMS=*', '+CPMS: 0,23,1,30,1,30')
  driven.forget()
  await driven.pass(330_000)
  expect(driven.modem.session?.messages).toMatchObject({ memorySelectable: true, memories: ['SM', 'ME'] })
  const read = driven.port.commands.flatMap((command, at) =>
    driven.port.commands[at + 1] === 'AT+CMGL=4' ? [command] : [],
  )
  expect(read).toEqual(expect.arrayContaining(['AT+CPMS="SM"', 'AT+CPMS="ME"']))
})

test('does not set a modem up again that can never select a memory', async () => {
  const driven = new DrivenModem(refusing)
  await driven.session()
  await driven.pass(3_600_000)
  expect(driven.kinds('started')).toHaveLength(1)
})
