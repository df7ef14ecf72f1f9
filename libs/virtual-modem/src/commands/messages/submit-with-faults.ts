import type { MobileEquipment } from '../../equipment/mobile-equipment.ts'
import type { SendResult, SubmittedPdu } from '../../messaging/outgoing.ts'
import type { Finished } from '../command.ts'
import { answer, cmsError, failWith, ok, silence } from '../command.ts'

/** `shown` formats the line with the reference, such as `+CMGS: 7`. */
export function submitWithFaults(
  modem: MobileEquipment,
  message: SubmittedPdu,
  shown: (reference: number) => string,
  finish: (outcome: Finished) => void,
): void {
  const { faults, clock, outgoing, power, random } = modem
  modem.toolkit.mayAsk('sending')
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
  outgoing.send(message, (result) => answerSubmit(modem, message, result, shown, finish))
}

function answerSubmit(
  modem: MobileEquipment,
  { tpdu }: SubmittedPdu,
  result: SendResult,
  shown: (reference: number) => string,
  finish: (outcome: Finished) => void,
): void {
  const { faults, clock, outgoing, unsolicited } = modem
  if (!result.ok) {
    finish(cmsError(result.cms))
    return
  }
  const line = shown(result.reference)
  const lost = faults.strike('submit-answer-lost')
  if (lost) {
    finish(lost.all ? silence : { ...failWith('silence'), lines: [line] })
    return
  }
  const hang = faults.strike('submit-hang')
  if (hang) {
    modem.power.deafen(hang.forMs)
    modem.unsolicited.hold()
    clock.after(hang.forMs, () => {
      finish(hang.answered ? answer(line) : silence)
      modem.unsolicited.release()
    })
    return
  }
  const referenceLate = faults.strike('submit-reference-late')
  if (referenceLate) {
    finish(ok)
    if (!referenceLate.never) clock.after(referenceLate.delayMs, () => unsolicited.say(line))
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
