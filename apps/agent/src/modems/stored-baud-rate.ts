import { detectsBaudRate, storeBaudRate } from '@smsgw/modem/commands/baud-rate'
import { baudRateOf } from '../ports/serial-port.ts'
import type { ModemActor } from './modem-actor.ts'

type ModemAtPort = Pick<ModemActor, 'address' | 'modem'>

/** Returns the baud rate that the modem has detected. Undefined if it has a fixed rate or no serial port. */
export async function detectedBaudRate(
  { address, modem }: ModemAtPort,
  rateOf = baudRateOf,
): Promise<number | undefined> {
  const ask = modem?.ask?.bind(modem)
  if (ask === undefined || modem?.session === undefined) return undefined
  const rate = await rateOf(address)
  return rate !== undefined && (await detectsBaudRate(ask)) ? rate : undefined
}

/** Makes the modem store the current baud rate of the port. Returns true if the modem then has this fixed rate. */
export async function storeDetectedBaudRate(
  actors: readonly ModemAtPort[],
  port: string,
  rateOf = baudRateOf,
): Promise<boolean> {
  const modem = actors.find(({ address }) => address === port)?.modem
  const ask = modem?.ask?.bind(modem)
  const rate = await rateOf(port)
  if (ask === undefined || rate === undefined) throw new Error(`no modem with a baud rate is connected at ${port}`)
  return storeBaudRate(ask, rate)
}
