import type { Finished } from '../command.ts'
import { answer, cmsError, fail, silence } from '../command.ts'
import type { MobileEquipment } from '../mobile-equipment.ts'
import type { OutgoingPdu, SendResult } from '../outgoing.ts'
import { fault } from './fault-description.ts'

/** `accepted`: whether the service centre has got the message all the same. */
export const submitFaults = {
  'submit-slow': fault('The answer to a SUBMIT comes after a long time', { delayMs: 45_000 }),
  'submit-answer-lost': fault('The message is sent; its OK, or all of its answer, never comes', { all: true }),
  'submit-error': fault('+CMS ERROR for a SUBMIT, sent or not; each time one of the codes', {
    codes: '38,42,500,512,513',
    accepted: false,
  }),
  'submit-port-drop': fault('The port goes away after Ctrl-Z', { accepted: true, forMs: 5000 }),
  'submit-reboot': fault('The modem restarts after Ctrl-Z', { accepted: true }),
  'report-before-answer': fault('The status report comes before the answer', { withinMs: 5000 }),
  'csmp-clears-service-centre': fault('AT+CSMP= forgets the service centre'),
}

/** `shown` is the line that tells the reference, as `+CMGS: 7`. */
export function submitWithFaults(
  modem: MobileEquipment,
  message: OutgoingPdu,
  shown: (reference: number) => string,
  finish: (outcome: Finished) => void,
): void {
  const { faults, clock, outgoing, power, random } = modem
  const broken = faults.strike('submit-error')
  if (broken) {
    const codes = broken.codes.split(',').map(Number)
    const refused = cmsError(codes[random.integer(codes.length)] ?? 500)
    if (broken.accepted) outgoing.send(message, () => finish(refused))
    else clock.after(modem.network.latencyMs(), () => finish(refused))
    return
  }
  const drop = faults.strike('submit-port-drop')
  const reboot = drop ? undefined : faults.strike('submit-reboot')
  if (drop || reboot) {
    const vanish = () => (drop ? power.dropPort(drop.forMs) : power.restart())
    const { accepted } = drop ?? reboot ?? { accepted: false }
    if (drop) finish(silence)
    if (accepted) outgoing.send(message, vanish)
    else vanish()
    return
  }
  outgoing.send(message, (result) => tell(modem, message, result, shown, finish))
}

function tell(
  modem: MobileEquipment,
  { tpdu }: OutgoingPdu,
  result: SendResult,
  shown: (reference: number) => string,
  finish: (outcome: Finished) => void,
): void {
  const { faults, clock, outgoing } = modem
  if (!result.ok) {
    finish(cmsError(result.cms))
    return
  }
  const line = shown(result.reference)
  const lost = faults.strike('submit-answer-lost')
  if (lost) {
    finish(lost.all ? silence : { ...fail('silence'), lines: [line] })
    return
  }
  const slow = faults.strike('submit-slow')
  if (slow) {
    clock.after(slow.delayMs, () => finish(answer(line)))
    return
  }
  const wantsReport = tpdu.kind === 'submit' && tpdu.statusReportRequest
  const early = wantsReport ? faults.strike('report-before-answer') : undefined
  if (early) outgoing.afterNextReport(early.withinMs, () => finish(answer(line)))
  else finish(answer(line))
}
