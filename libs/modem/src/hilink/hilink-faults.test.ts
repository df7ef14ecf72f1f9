import { type FaultName, faultDescriptions } from '@smsgw/virtual-modem/faults/fault-catalogue'
import type { FaultSettings } from '@smsgw/virtual-modem/faults/fault-control'
import { describe, expect, test } from 'vitest'
import { type DrivenStick, started } from '../testing/driven-stick.ts'
import { stickNumber } from '../testing/stick-world.ts'

/** Every fault of the emulator: its options for a HiLink stick, or why a web interface cannot have it. */
const faults: { readonly [N in FaultName]: FaultSettings[N] | string } = {
  'prompt-missing': 'no prompts',
  'prompt-late': 'no prompts',
  'prompt-without-space': 'no prompts',
  'prompt-with-newline': 'no prompts',
  'echo-stuck': 'no echo',
  'urc-before-answer': 'no unsolicited lines',
  'urc-inside-list': 'no unsolicited lines',
  'urc-before-pdu': 'no unsolicited lines',
  'urc-flood': 'no unsolicited lines',
  nitz: 'no unsolicited lines',
  'bytes-one-by-one': 'the HTTP client joins the bytes',
  noise: 'TCP corrupts no bytes; see web-rubbish',
  'answer-late': 'see web-late',
  'answer-lost': 'see web-lost',
  'command-refused': 'see web-unsupported',
  'at-refused': 'no AT commands',
  'ok-to-everything': 'no AT commands',
  'imei-answer': 'no AT commands',
  'modem-hang': { times: 1 },
  'data-mode': 'no data calls on a command port',
  'numeric-answers': 'no AT commands',
  'submit-slow': { delayMs: 40_000, times: 2 },
  'submit-answer-lost': { times: 1 },
  'submit-hang': { forMs: 90_000, times: 1 },
  'busy-while-sending': 'each request has its own reply',
  'answers-while-sending': 'each request has its own reply',
  'abort-while-sending': 'each request has its own reply',
  'submit-reference-late': 'no references',
  'submit-error': { times: 1 },
  'submit-port-drop': { times: 1 },
  'submit-reboot': { times: 1 },
  'report-before-answer': 'no delivery reports',
  'csmp-clears-service-centre': 'no AT commands',
  'storage-full': {},
  'cmti-other-memory': 'one inbox',
  'cdsi-wrong-memory': 'no delivery reports',
  'cds-extra-comma': 'no delivery reports',
  'cmt-without-alpha': 'no unsolicited lines',
  'cpms-lag': 'the inbox is listed, not counted',
  'delete-refused': { times: 3 },
  'cmti-twice': 'no unsolicited lines',
  'urc-lost': 'no unsolicited lines',
  'list-hang': 'see web-lost and modem-hang',
  'slots-padded': 'no AT commands',
  'list-newline-missing': 'no AT commands',
  'parts-out-of-order': { times: 1 },
  'part-missing': { times: 1 },
  'part-twice': { times: 1 },
  redelivered: { times: 1 },
  'report-lost': 'no delivery reports',
  'same-reference': {},
  'reference-reused': {},
  'mms-content-type': 'the stick passes on no data messages',
  'sim-busy': { forMs: 10_000 },
  'sim-toolkit': 'the stick answers the SIM itself',
  'pin-attempts': { left: 1 },
  registration: { stat: 3 },
  'eps-only': {},
  'signal-unknown': {},
  'ussd-late': { delayMs: 20_000, times: 1 },
  'ussd-lost': { times: 1 },
  'ussd-garbled': 'the stick decodes the text itself',
  'ussd-as-menu': { times: 1 },
  'port-renumbered': 'no port name',
  'port-half-open': 'see modem-hang',
  'web-late': { delayMs: 15_000, times: 5 },
  'web-lost': { times: 5 },
  'web-cut': { times: 5 },
  'web-rubbish': { times: 5 },
  'web-huge': { times: 5 },
  'web-redirect': { times: 5 },
  'web-deletes-partly': { times: 3 },
  'web-unsupported': {},
  'web-sessions-lost': { times: 5 },
  'web-login': { times: 5 },
}

const applicable = (Object.keys(faultDescriptions) as FaultName[]).filter((name) => typeof faults[name] === 'object')
const long = 'All work and no play makes Jack a dull boy. '.repeat(6).trim()

describe('a stick with each fault that a web interface can have', () => {
  test.each(applicable)('with %s, sends nothing twice, loses nothing, and works again afterwards', async (name) => {
    const driven = await started()
    const { stick, network } = driven.world
    stick.faults.set(name, faults[name] as object)
    network.sendText('+447400200001', stickNumber, 'in 1')
    network.sendText('+447400200002', stickNumber, long)
    const outcomes = [await driven.send('out 1', '+447400300001'), await driven.send(long, '+447400300002')]
    void driven.modem.ussd('*100#')
    await driven.world.pass(120_000)
    for (const incoming of driven.incoming) await driven.delete(incoming)
    await driven.world.pass(30_000)

    stick.faults.clear()
    if (name === 'modem-hang') stick.reboot()
    await driven.world.pass(300_000)
    if (driven.states.at(-1) !== 'ready') await driven.start()
    for (const incoming of driven.incoming) await driven.delete(incoming)
    await driven.world.pass(60_000)
    for (const [at, text] of ['out 1', long].entries()) {
      const times = driven.world.sent.filter((sent) => sent === `+44740030000${at + 1} ${text}`).length
      const outcome = outcomes[at]?.kind
      if (outcome === 'accepted') expect(times, text).toBe(1)
      else if (outcome === 'unknown') expect(times, text).toBeLessThanOrEqual(1)
      else expect(times, text).toBe(0)
    }
    expect(received(driven)).toContain('447400200001 in 1')
    if (name !== 'part-missing')
      expect(received(driven).join('').replaceAll('447400200002 ', '')).toContain('dull boy.')
    expect(await driven.send('after', '+447400300003')).toMatchObject({ kind: 'accepted' })
    expect(driven.world.sent).toContain('+447400300003 after')
  })
})

const received = (driven: DrivenStick): readonly string[] => [...new Set(driven.texts)]
