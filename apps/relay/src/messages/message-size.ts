import type { MessageContent } from '@smsgw/contract/message'
import { partsNeeded, segmentData, TooManyPartsError } from '@smsgw/sms/segment'

/** Of UTF-16 units at worst: 67, less one where a pair would be cut. */
const FEWEST_UNITS_OF_A_PART = 66

/** How many parts it takes if that is more than `most`. Most texts are so short that nobody need count. */
export function partsBeyond(content: MessageContent, most: number): number | undefined {
  if (content.kind === 'data') return dataPartsBeyond(Buffer.from(content.data, 'base64'), content.port, most)
  if (content.text.length <= most * FEWEST_UNITS_OF_A_PART) return undefined
  const parts = partsNeeded(content.text)
  return parts > most ? parts : undefined
}

function dataPartsBeyond(data: Uint8Array, destination: number, maxParts: number): number | undefined {
  try {
    segmentData(data, { reference: 0, ports: { width: 16, destination, source: 0 }, maxParts })
    return undefined
  } catch (error) {
    if (error instanceof TooManyPartsError) return error.partsNeeded
    throw error
  }
}
