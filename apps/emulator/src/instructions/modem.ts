import { isFaultName } from '@smsgw/virtual-modem/faults/fault-catalogue'
import type { Sim } from '@smsgw/virtual-modem/sim/sim'
import type { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'
import { z } from 'zod'
import { firstProblem } from '../options/check-input.ts'
import { faultOptions } from '../options/fault-settings.ts'
import { simSetup } from '../options/modem-setup.ts'
import { newSim } from '../options/planned-modem.ts'
import type { World } from '../world.ts'
import { encodable, type Instruction, InstructionRefused, instruction } from './instruction.ts'

const modem = z.string().min(1).meta({ description: 'name of a modem' })
const justModem = z.strictObject({ modem })
const line = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[\x20-\x7e]+$/, 'must be one line of printable ASCII')

/** Creates an instruction that changes one modem and answers with its state. */
function onModem<Body extends z.ZodObject<{ modem: typeof modem }>>(
  about: string,
  body: Body,
  change: (virtual: VirtualModem, input: z.output<Body>) => void,
): Instruction {
  return instruction(about, body, (world, input) => {
    const { modem: name } = input as { readonly modem: string }
    change(world.modem(name).virtual, input)
    return state(world, name)
  })
}

export const modemInstructions = {
  unplug: onModem(
    'Unplug a modem. It is plugged in again after `forMs`, or by the request `plug`',
    z.strictObject({ modem, forMs: z.int().min(1).max(86_400_000).optional() }),
    (virtual, { forMs }) => virtual.unplug(forMs),
  ),
  plug: onModem('Plug a modem in again', justModem, (virtual) => virtual.plug()),
  reboot: onModem('Restart a modem', justModem, (virtual) => virtual.reboot()),
  'power-off': onModem('Switch a modem off; a USB modem also loses its port', justModem, (virtual) =>
    virtual.powerOff(),
  ),
  'power-on': onModem(
    'Switch a modem on. With `warm`, it is ready at once, without boot messages',
    z.strictObject({ modem, warm: z.boolean().default(false) }),
    (virtual, { warm }) => virtual.powerOn({ warm }),
  ),
  'insert-sim': instruction(
    'Insert another SIM',
    z.strictObject({ modem, sim: simSetup.required({ number: true }) }),
    (world, { modem, sim: { number, ...card } }) => {
      const { virtual } = world.modem(modem)
      const sim = newSim({ ...card, number })
      for (const other of world.modems) {
        const clash = other.name === modem ? undefined : commonTo(sim, other.virtual.sim)
        if (clash) throw new InstructionRefused('not-possible', `the SIM with ${clash} is already in ${other.name}`)
      }
      virtual.insertSim(sim)
      return state(world, modem)
    },
  ),
  'remove-sim': onModem('Remove the SIM', justModem, (virtual) => virtual.insertSim(undefined)),
  say: instruction(
    'Send an unsolicited line to the host',
    z.strictObject({ modem, line }),
    (world, { modem, line }) => {
      const { virtual } = world.modem(modem)
      if (virtual.snapshot().power === 'off') throw new InstructionRefused('not-possible', `${modem} is switched off`)
      virtual.say(line)
      return {}
    },
  ),
  'fill-storage': instruction(
    'Fill the memory for new messages with texts from an outside phone; `leave` is the number of slots that stay free',
    z.strictObject({
      modem,
      leave: z.int().min(0).default(0),
      from: z.string().min(1).max(20).default('+12025550150'),
    }),
    (world, { modem, leave, from }) => {
      const { memories, settings } = world.modem(modem).virtual.snapshot()
      const number = world.number(modem)
      if (settings === undefined) throw new InstructionRefused('not-possible', `${modem} is switched off`)
      // "SM","ME","SM": new messages go to the third memory (27.005 §3.2.2).
      const receiving = settings.storage.replaceAll('"', '').split(',').at(-1)
      const memory = memories.find(({ name }) => name === receiving)
      if (memory === undefined) throw new InstructionRefused('not-possible', `${modem} has no memory ${receiving}`)
      const count = Math.max(0, memory.capacity - memory.used - leave)
      encodable(() => {
        for (let index = 1; index <= count; index++)
          world.network.sendText(from, number, `Filling ${index} of ${count}`)
      })
      return { sent: count, memory: memory.name, capacity: memory.capacity }
    },
  ),
  'set-fault': instruction(
    'Set a fault from the catalogue, with its options',
    z
      .strictObject({
        modem,
        fault: z.string().refine(isFaultName, { error: 'is not a known fault; GET /faults lists them' }),
        options: z.record(z.string(), z.unknown()).default({}),
      })
      .superRefine(({ fault, options }, context) => {
        const problems = isFaultName(fault) && faultOptions(fault).safeParse(options).error
        if (!problems) return
        const { path, problem } = firstProblem(problems)
        context.addIssue({ code: 'custom', path: ['options', ...(path ? [path] : [])], message: problem })
      }),
    (world, { modem, fault, options }) => {
      const { faults } = world.modem(modem).virtual
      if (isFaultName(fault)) faults.set(fault, options)
      return { faults: faults.list() }
    },
  ),
  'clear-fault': instruction(
    'Clear a fault, or all faults',
    z.strictObject({ modem, fault: z.string().optional() }),
    (world, { modem, fault }) => {
      const { faults } = world.modem(modem).virtual
      if (fault === undefined) faults.clear()
      else if (isFaultName(fault)) faults.clear(fault)
      else throw new InstructionRefused('not-possible', `${fault} is not a known fault; GET /faults lists them`)
      return { faults: faults.list() }
    },
  ),
} satisfies Record<string, Instruction>

/** Returns a phone number, IMSI or ICCID that is the same in both SIMs. */
function commonTo(card: Sim, other: Sim | undefined): string | undefined {
  if (other === undefined) return undefined
  return [card.msisdn, card.imsi, card.iccid].find((own) => [other.msisdn, other.imsi, other.iccid].includes(own))
}

function state(world: World, name: string): object {
  const { power, port } = world.modem(name).virtual.snapshot()
  return { power, port }
}
