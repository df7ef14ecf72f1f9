import { expect, test } from 'vitest'
import { DrivenModem, reportPdu } from '../testing/driven-modem.ts'

test('a report with a wrong length is received, although the last output of the driver was a PDU', async () => {
  const driven = new DrivenModem()
  await driven.session()
  expect(await driven.passing(driven.submit())).toMatchObject({ kind: 'accepted' })
  // The length includes the service centre address, which it should not count.
  driven.port.tell(`+CDS: ${reportPdu.length / 2}\n${reportPdu}`)
  await driven.pass(100)
  expect(driven.kinds('incoming')).toMatchObject([{ incoming: { kind: 'status-report', pdu: reportPdu } }])
})

test('a report whose length includes the service centre address is received while a message is sent', async () => {
  const driven = new DrivenModem({ PDU: 'busy' })
  await driven.session()
  const submitted = driven.submit()
  await driven.pass(1000)
  expect(driven.port.pdus).toHaveLength(1)
  driven.port.tell(`+CDS: ${reportPdu.length / 2}\n${reportPdu}`)
  await driven.pass(100)
  driven.port.finish('+CMGS: 17\nOK')
  expect(await driven.passing(submitted)).toMatchObject({ kind: 'accepted' })
  expect(driven.kinds('incoming')).toMatchObject([{ incoming: { kind: 'status-report', pdu: reportPdu } }])
})
