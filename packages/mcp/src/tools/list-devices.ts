import type { McpServer } from '@modelcontextprotocol/server'
import type { SmsGateway } from '@smsgw/client'
import type { Device, SimCard } from '@smsgw/client/openapi'
import { z } from 'zod'
import { answerOrError } from '../tool-answer.ts'

const device = z.object({
  id: z.string(),
  name: z.string(),
  online: z.boolean(),
  canSend: z.boolean().describe('True if the device is connected and at least one SIM is ready'),
  health: z.string(),
  sims: z.array(
    z.object({
      simNumber: z.int(),
      name: z.string().optional(),
      phoneNumber: z.string().optional(),
      health: z.string(),
    }),
  ),
})

export function registerListDevices(server: McpServer, api: SmsGateway): void {
  server.registerTool(
    'list_devices',
    {
      title: 'List devices and SIM cards',
      description:
        'Lists the devices that send and receive SMS, and their SIM cards. Tells for each device whether it can send now.',
      inputSchema: z.object({}),
      outputSchema: z.object({ devices: z.array(device), summary: z.string() }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    (_, { mcpReq: { signal } }) =>
      answerOrError(signal, async () => {
        const devices = (await api.devices.list({ signal })).map(deviceOf)
        const able = devices.filter(({ canSend }) => canSend).length
        return { devices, summary: summaryOf(devices.length, able) }
      }),
  )
}

function summaryOf(all: number, able: number): string {
  if (all === 0) return 'The account has no device. Messages cannot be sent until a device is paired.'
  if (able === 0) return 'No device can send now. Messages are accepted and wait.'
  return `${able} of ${all} ${all === 1 ? 'device' : 'devices'} can send now.`
}

function deviceOf({ id, name, online, lastSeen, simCards, isEmulated }: Device): z.output<typeof device> {
  const ready = simCards.filter(({ state }) => state === 'ready').length
  return {
    id,
    name,
    online,
    canSend: online && ready > 0,
    health: [
      online ? onlineHealth(ready, simCards.length) : `Offline since ${lastSeen}; messages wait until it is back.`,
      ...(isEmulated === true ? ['Its modems are virtual: messages reach no phone.'] : []),
    ].join(' '),
    sims: simCards.map((sim) => ({
      simNumber: sim.simNumber,
      ...(sim.name !== undefined && { name: sim.name }),
      ...(sim.phoneNumber !== undefined && { phoneNumber: sim.phoneNumber }),
      health: simHealth(sim),
    })),
  }
}

function onlineHealth(ready: number, all: number): string {
  if (all === 0) return 'Online, but no SIM was found.'
  if (ready === 0) return 'Online, but no SIM is ready.'
  return ready === all ? 'Online and ready to send.' : `Online; ${ready} of ${all} SIMs are ready.`
}

function simHealth({ state, signal, carrierName }: SimCard): string {
  const network = carrierName === undefined ? '' : ` on ${carrierName}`
  const strength = signal === undefined ? '' : `, signal ${signal} %`
  return state === 'ready' ? `Ready${network}${strength}.` : (problems[state] ?? `Not ready: ${state}.`)
}

const problems: Readonly<Record<string, string>> = {
  absent: 'There is no SIM in the modem.',
  locked: 'The SIM needs its PIN.',
  puk: 'The SIM needs its PUK.',
  failed: 'The SIM does not answer.',
  searching: 'The modem is searching for a network.',
  denied: 'The network refuses this SIM.',
}
