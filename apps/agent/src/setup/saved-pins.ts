import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from '@smsgw/daemon/durable-file'
import { StartError } from '@smsgw/daemon/start-error'
import { z } from 'zod'

/** PINs that `setup` saved, by SIM number. `SIM_<n>_PIN` takes precedence. */
export type SavedPins = Readonly<Record<number, string>>

export function readSavedPins(folder: string): SavedPins {
  const file = join(folder, savedPinsFile)
  if (!existsSync(file)) return {}
  try {
    return savedPins.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    // The message does not show the content of the file, because it is secret.
    const reason = (error as NodeJS.ErrnoException).code ?? 'the content is not a list of PINs by SIM number'
    throw new StartError(`${file} cannot be used: ${reason}. Correct it, or delete it and run setup again`)
  }
}

/** Saves a PIN that has unlocked the SIM, in a file that only this user can read. */
export function savePin(folder: string, simNumber: number, pin: string): void {
  const pins = { ...readSavedPins(folder), [simNumber]: pin }
  writeDurably(join(folder, savedPinsFile), `${JSON.stringify(pins)}\n`)
}

/** Returns false if the PIN cannot be saved, for example because the disk is full. */
export function trySavePin(folder: string, simNumber: number, pin: string): boolean {
  try {
    savePin(folder, simNumber, pin)
    return true
  } catch {
    return false
  }
}

const savedPinsFile = 'sim-pins.json'

const savedPins = z.record(z.string().regex(/^\d{1,2}$/), z.string().regex(/^\d{4,8}$/))
