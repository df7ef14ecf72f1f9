import type { ModemAnswer } from '@smsgw/contract/devices/device'
import type { ModemSample } from '@smsgw/contract/link/telemetry'

/** Returns a modem as the API shows it, from the report of its agent. */
export function modemAnswer(sample: ModemSample): ModemAnswer {
  const { state, manufacturer, model, imeiEnd, storage, problem, problemCode, recovery, ...rest } = sample
  const { simNumber, firmware, signal, signalDbm, operator, technology, registration } = rest
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
    lastError: problem,
    lastErrorCode: problemCode,
  }
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== undefined)) as ModemAnswer
}

/** Returns the used part of all memories of the modem in percent. */
export function storageUsed({ storage }: ModemSample): number | undefined {
  return storage && sum(Object.values(storage).map(({ used }) => used))
}

/** Removes the manufacturer from the model: `Quectel EC25` becomes `EC25`. */
function withoutMaker(model: string | undefined, manufacturer: string | undefined): string | undefined {
  const prefix = `${manufacturer} `
  return manufacturer !== undefined && model?.startsWith(prefix) ? model.slice(prefix.length) : model
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
