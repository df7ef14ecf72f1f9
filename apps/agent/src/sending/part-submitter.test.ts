import { addressFromText } from '@smsgw/sms/fields/address'
import { timeStampFromEpochMs } from '@smsgw/sms/fields/time-stamp'
import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import { beforeEach, expect, test } from 'vitest'
import { SenderFixture, sendCommand } from '../testing/sender-fixture.ts'

let world: SenderFixture

beforeEach(() => {
  world = new SenderFixture()
})

const minute = 60_000

test('matches a report with the part that a modem is sending only if number and time match', async () => {
  const sim = world.sim(1)
  const fitting: boolean[] = []
  await world.sender.simReady({
    ...sim,
    submit: async (pdu, options) => {
      const ask = (given: Partial<StatusReport>) =>
        fitting.push(options.isItsReport?.({ ...report(77, 0), ...given }) ?? false)
      ask({})
      const result = await sim.submit(pdu, {
        ...options,
        beforePdu: async (withdrawal) => {
          const word = await options.beforePdu(withdrawal)
          ask({})
          ask({ recipient: addressFromText('07700900123') })
          ask({ recipient: addressFromText('+447700900124') })
          ask({ serviceCentreTimeStamp: timeStampFromEpochMs(world.clock.epochMs() - 3 * minute, 0) })
          return word
        },
      })
      return result
    },
  })
  await world.accept(sendCommand('a'))
  await world.pass(1000)
  expect(fitting).toEqual([false, true, true, false, false])
})

function report(messageReference: number, status: number): StatusReport {
  const at = timeStampFromEpochMs(world.clock.epochMs(), 0)
  return {
    kind: 'status-report',
    moreMessagesToSend: false,
    loopPrevention: false,
    statusReportQualifier: false,
    messageReference,
    recipient: addressFromText('+447700900123'),
    serviceCentreTimeStamp: at,
    dischargeTime: at,
    status,
  }
}
