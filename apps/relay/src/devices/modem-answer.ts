import type { ModemAnswer } from '@smsgw/contract/device'
import type { ModemSample } from '@smsgw/contract/link/telemetry'

/** A modem as the API shows it, of what its agent told. */
export function modemAnswer(sample: ModemSample): ModemAnswer {
  const { state, manufacturer, model, imeiEnd, storage, trouble, recovery, ...told } = sample
  const { simNumber, firmware, signal, signalDbm, operator, technology, registration } = told
  const answer = {
    simNumber,
    state: state ?? 'unknown',
    manufacturer,
    model: withoutMaker(model, manufacturer),
    firmware,
    imei: imeiEnd,
    signal,
    signalDbm,
    operator,
    technology,
    registration,
    storageUsed: storageUsed(sample),
    storageTotal: storage && sum(Object.values(storage).map(({ total }) => total)),
    recoverySteps: recovery?.steps?.length,
    lastError: trouble,
  }
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== undefined)) as ModemAnswer
}

/** Of all its memories together. */
export function storageUsed({ storage }: ModemSample): number | undefined {
  return storage && sum(Object.values(storage).map(({ used }) => used))
}

/** `Quectel EC25` of Quectel is an EC25. */
function withoutMaker(model: string | undefined, manufacturer: string | undefined): string | undefined {
  const prefix = `${manufacturer} `
  return manufacturer !== undefined && model?.startsWith(prefix) ? model.slice(prefix.length) : model
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
