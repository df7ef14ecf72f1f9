import { Sim } from '@smsgw/virtual-modem/sim'
import { type PlannedModem, withCheckDigit } from './planned-modem.ts'
import { present } from './present.ts'

/** The card that a setup describes. What it leaves open follows from the number, so that a restart finds the same SIM. */
export function simCard({ number, iccid, imsi, ...rest }: NonNullable<PlannedModem['sim']>): Sim {
  const subscriber = number.slice(1).padStart(10, '0').slice(-10)
  return new Sim({
    msisdn: number,
    iccid: iccid ?? withCheckDigit(`89441000${subscriber}`),
    imsi: imsi ?? `23415${subscriber}`,
    ...present(rest),
  })
}
