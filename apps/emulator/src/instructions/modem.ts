import { isFaultName } from '@smsgw/virtual-modem/faults'
import type { Sim } from '@smsgw/virtual-modem/sim'
import { z } from 'zod'
import { faultOptions } from '../fault-settings.ts'
import { firstProblem } from '../first-problem.ts'
import { simSetup } from '../modem-setup.ts'
import { simCard } from '../sim-card.ts'
import type { World } from '../world.ts'
import { encodable, type Instruction, InstructionRefused, instruction } from './instruction.ts'

const modem = z.string().min(1).meta({ description: 'name of a modem' })
const justModem = z.strictObject({ modem })
const line = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[\x20-\x7e]+$/, 'must be one line of printable ASCII')

export const modemInstructions = {
  unplug: instruction(
    'the cable is pulled; comes back after forMs, else with plug',
    z.strictObject({ modem, forMs: z.int().min(1).max(86_400_000).optional() }),
    (world, { modem, forMs }) => {
      world.modem(modem).virtual.unplug(forMs)
      return state(world, modem)
    },
  ),
  plug: instruction('the cable is plugged in again', justModem, (world, { modem }) => {
    world.modem(modem).virtual.plug()
    return state(world, modem)
  }),
  reboot: instruction('the modem loses power for a moment', justModem, (world, { modem }) => {
    world.modem(modem).virtual.reboot()
    return state(world, modem)
  }),
  'power-off': instruction('the modem is switched off; its port stays', justModem, (world, { modem }) => {
    world.modem(modem).virtual.powerOff()
    return state(world, modem)
  }),
  'power-on': instruction(
    'the modem is switched on; warm: as if it had been on for hours',
    z.strictObject({ modem, warm: z.boolean().default(false) }),
    (world, { modem, warm }) => {
      world.modem(modem).virtual.powerOn({ warm })
      return state(world, modem)
    },
  ),
  'insert-sim': instruction(
    'another card',
    z.strictObject({ modem, sim: simSetup.required({ number: true }) }),
    (world, { modem, sim: { number, ...card } }) => {
      const { virtual } = world.modem(modem)
      const sim = simCard({ ...card, number })
      for (const other of world.modems) {
        const clash = other.name === modem ? undefined : commonTo(sim, other.virtual.sim)
        if (clash) throw new InstructionRefused('not-possible', `the SIM with ${clash} is in ${other.name}`)
      }
      virtual.insertSim(sim)
      return state(world, modem)
    },
  ),
  'remove-sim': instruction('the card is taken out', justModem, (world, { modem }) => {
    world.modem(modem).virtual.insertSim(undefined)
    return state(world, modem)
  }),
  say: instruction('an unsolicited line', z.strictObject({ modem, line }), (world, { modem, line }) => {
    const { virtual } = world.modem(modem)
    if (virtual.snapshot().power === 'off') throw new InstructionRefused('not-possible', `${modem} is switched off`)
    virtual.say(line)
    return {}
  }),
  'fill-storage': instruction(
    'as many texts from an outside phone as its memory for new messages has room for, but for `leave`',
    z.strictObject({
      modem,
      leave: z.int().min(0).default(0),
      from: z.string().min(1).max(20).default('+447700900999'),
    }),
    (world, { modem, leave, from }) => {
      const { memories, settings } = world.modem(modem).virtual.snapshot()
      const number = world.number(modem)
      if (settings === undefined) throw new InstructionRefused('not-possible', `${modem} is switched off`)
      // "SM","ME","SM": the third is where what arrives is stored (27.005 §3.2.2).
      const receiving = settings.storage.replaceAll('"', '').split(',').at(-1)
      const memory = memories.find(({ name }) => name === receiving)
      if (memory === undefined)
        throw new InstructionRefused('not-possible', `${modem} has no memory ${receiving} of its own`)
      const count = Math.max(0, memory.capacity - memory.used - leave)
      encodable(() => {
        for (let index = 1; index <= count; index++)
          world.network.sendText(from, number, `Filling ${index} of ${count}`)
      })
      return { sent: count, memory: memory.name, capacity: memory.capacity }
    },
  ),
  'set-fault': instruction(
    'a fault from the catalogue, with its options',
    z
      .strictObject({
        modem,
        fault: z.string().refine(isFaultName, { error: 'is not in the catalogue: see GET /faults' }),
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
    'a fault is over, or all of them',
    z.strictObject({ modem, fault: z.string().optional() }),
    (world, { modem, fault }) => {
      const { faults } = world.modem(modem).virtual
      if (fault === undefined) faults.clear()
      else if (isFaultName(fault)) faults.clear(fault)
      else throw new InstructionRefused('not-possible', `${fault} is not in the catalogue: see GET /faults`)
      return { faults: faults.list() }
    },
  ),
} satisfies Record<string, Instruction>

/** What no two cards share. */
function commonTo(card: Sim, other: Sim | undefined): string | undefined {
  if (other === undefined) return undefined
  return [card.msisdn, card.imsi, card.iccid].find((own) => [other.msisdn, other.imsi, other.iccid].includes(own))
}

function state(world: World, name: string): object {
  const { power, port } = world.modem(name).virtual.snapshot()
  return { power, port }
}
