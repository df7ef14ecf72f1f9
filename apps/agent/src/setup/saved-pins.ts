import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from '@smsgw/daemon/files/durable-file'
import { StartError } from '@smsgw/daemon/start-error'
import { z } from 'zod'
import type { SimSettings } from '../modems/modem-actor-options.ts'

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

export type SavedPin =
  | { readonly saved: true }
  /** Why a saved PIN would not be used or could not be written, and what to do. */
  | { readonly saved: false; readonly code: 'pin.set-on-machine' | 'pin.not-written'; readonly reason: string }

/**
 * Saves a PIN if possible. A PIN is not saved if `SIM_<n>_PIN` would replace it at each start. Saving may also fail,
 * for example if the disk is full.
 */
export function trySavePin(
  folder: string,
  { isPinSet }: Pick<SimSettings, 'isPinSet'>,
  { simNumber, pin }: { readonly simNumber: number; readonly pin: string },
): SavedPin {
  const setting = `SIM_${simNumber}_PIN`
  if (isPinSet?.(simNumber))
    return {
      ...{ saved: false, code: 'pin.set-on-machine' },
      reason: `The PIN is not saved, because ${setting} is set on the machine with the modem and takes precedence. Change it there.`,
    }
  try {
    savePin(folder, simNumber, pin)
    return { saved: true }
  } catch (error) {
    const cause = (error as NodeJS.ErrnoException).code ?? 'the file with the saved PINs is damaged'
    return {
      ...{ saved: false, code: 'pin.not-written' },
      reason: `The PIN could not be saved (${cause}). Set ${setting} on the machine with the modem.`,
    }
  }
}

const savedPinsFile = 'sim-pins.json'

const savedPins = z.record(z.string().regex(/^\d{1,2}$/), z.string().regex(/^\d{4,8}$/))
