import { expect, test } from 'vitest'
import { DrivenModem, deliverPdu } from '../testing/driven-modem.ts'

const slot = `+CMGR: 1,,31\n${deliverPdu}`

/** A modem that is shared with another program, after its setup. */
async function shared(answers: Record<string, string>, isShared = true): Promise<DrivenModem> {
  const driven = new DrivenModem({ 'AT+CPMS=?': '+CPMS: ("SM"),("SM"),("SM")', ...answers }, { isShared })
  await driven.session()
  driven.forget()
  return driven
}

test('selects, compares and deletes a message in command lines that no other program can interrupt', async () => {
  const driven = await shared({ 'AT+CPMS="SM";+CMGR=3': slot, 'AT+CPMS="SM";+CMGD=3': 'OK' })
  expect(await driven.modem.deleteMessage({ memory: 'SM', index: 3 }, deliverPdu)).toEqual({ kind: 'deleted' })
  expect(driven.port.commands).toEqual(['AT+CPMS="SM";+CMGR=3', 'AT+CPMS="SM";+CMGD=3'])
})

test('sends commands one by one to a modem that refuses several commands in one line', async () => {
  const driven = await shared({
    ...{ 'AT+CPMS="SM";+CMGR=3': 'ERROR', 'AT+CPMS="SM";+CMGD=3': 'ERROR' },
    ...{ 'AT+CMGR=3': slot, 'AT+CMGD=3': 'OK' },
  })
  expect(await driven.modem.deleteMessage({ memory: 'SM', index: 3 }, deliverPdu)).toEqual({ kind: 'deleted' })
  expect(driven.port.commands.slice(-3)).toEqual(['AT+CPMS="SM";+CMGD=3', 'AT+CPMS="SM"', 'AT+CMGD=3'])
})

test('selects the memory only once if no other program uses the modem', async () => {
  const driven = await shared({ 'AT+CMGR=3': slot, 'AT+CMGD=3': 'OK' }, false)
  await driven.modem.deleteMessage({ memory: 'SM', index: 3 }, deliverPdu)
  expect(driven.port.commands).toEqual(['AT+CMGR=3', 'AT+CMGD=3'])
})
