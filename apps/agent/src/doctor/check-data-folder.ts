import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { measureFsync } from '../journal/measure-fsync.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Whether what is written here stays, and stays private. Who knows how fast its disk is need not measure it again. */
export function checkDataFolder(folder: string, knownFsyncMs?: number): readonly Finding[] {
  const path = resolve(folder)
  if (!existsSync(path)) {
    return [warn('data folder', `${path} is not there yet`, 'the first start makes it; if that is wrong, set DATA_DIR')]
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return [
      fail('data folder', `${path} cannot be written by this user`, `sudo chown -R "$USER" ${path}, or be its user`),
    ]
  }
  const fsyncMs = knownFsyncMs ?? measureFsync(join(path, 'doctor'))
  return [...privacy(path), space(statfsSync(path)), fsync(fsyncMs)]
}

/** Who reads the key can speak as this agent; who reads the journal reads the messages. */
function privacy(path: string): readonly Finding[] {
  const files = [path, ...['agent-identity.json', 'journal.db', 'agent.sock'].map((name) => join(path, name))]
  const open = files.filter((file) => existsSync(file) && (statSync(file).mode & othersMay) !== 0)
  // In a folder that nobody else may enter, it does not matter what is allowed further down.
  if ((statSync(path).mode & othersMay) === 0) return [ok('data folder', `${path}, for its owner alone`)]
  return [warn('data folder', `others on this machine may read ${open.join(', ')}`, `chmod -R go= ${path}`)]
}

const othersMay = 0o077

export function space({ bavail, bsize }: { readonly bavail: number; readonly bsize: number }): Finding {
  const megabytes = Math.floor((bavail * bsize) / 1_000_000)
  const words = `${megabytes} MB free`
  if (megabytes < leastMegabytes) {
    return fail('disk space', words, 'make room: without it nothing is accepted and nothing is received')
  }
  return megabytes < fewMegabytes ? warn('disk space', words, 'make room before it is full') : ok('disk space', words)
}

const leastMegabytes = 50
const fewMegabytes = 500

export function fsync(ms: number): Finding {
  const words = `a write is safe on the disk after ${ms.toFixed(1)} ms`
  if (ms <= slowMs) return ok('disk speed', words)
  return warn('disk speed', words, 'each message waits for it twice: a better SD card or an SSD helps')
}

const slowMs = 50
