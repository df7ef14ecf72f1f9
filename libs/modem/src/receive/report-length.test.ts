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
