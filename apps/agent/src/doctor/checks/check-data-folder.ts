import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type DiskSpace, describeDiskSpace, diskStatus, readDiskSpace } from '@smsgw/daemon/files/disk-space'
import { measureFsync } from '../../journal/measure-fsync.ts'
import { type CodedFinding, failFinding, okFinding, warnFinding } from '../finding.ts'

/** Checks access, privacy, free space and speed. If `knownFsyncMs` is given, the speed is not measured again. */
export function checkDataFolder(folder: string, knownFsyncMs?: number): readonly CodedFinding[] {
  const path = resolve(folder)
  if (!existsSync(path)) {
    return [
      warnFinding(
        'data folder',
        `${path} does not exist yet`,
        'the first start creates it; set DATA_DIR to use another folder',
        { code: 'folder.missing', values: { path } },
      ),
    ]
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return [
      failFinding(
        'data folder',
        `${path} is not writable by this user`,
        `run the agent as the owner of the folder, or: sudo chown -R "$USER" ${path}`,
        { code: 'folder.forbidden', values: { path }, commands: [`sudo chown -R "$USER" ${path}`] },
      ),
    ]
  }
  const fsyncMs = knownFsyncMs ?? measureFsync(join(path, 'doctor'))
  const space = readDiskSpace(path)
  return [...privacy(path), ...(space === undefined ? [] : [checkSpace(space)]), fsync(fsyncMs)]
}

/**
 * Checks which users can read the files. Anyone who can read the key can impersonate this agent, and the journal
 * contains messages.
 */
function privacy(path: string): readonly CodedFinding[] {
  const files = [path, ...['agent-identity.json', 'journal.db', 'agent.sock'].map((name) => join(path, name))]
  const open = files.filter((file) => existsSync(file) && (statSync(file).mode & othersMay) !== 0)
  // The permissions of the files do not matter if nobody else may enter the folder.
  if ((statSync(path).mode & othersMay) === 0)
    return [
      okFinding('data folder', `${path}, accessible to its owner only`, { code: 'folder.private', values: { path } }),
    ]
  const command = `chmod -R go= ${path}`
  return [
    warnFinding('data folder', `other users of this machine may read ${open.join(', ')}`, command, {
      code: 'folder.open',
      values: { files: open.join(', ') },
      commands: [command],
    }),
  ]
}

const othersMay = 0o077

export function checkSpace(space: DiskSpace): CodedFinding {
  const text = describeDiskSpace(space)
  const values = { path: space.path, freeMb: Math.floor(space.freeBytes / 1_000_000) }
  switch (diskStatus(space)) {
    case 'fail':
      return failFinding(
        'disk space',
        text,
        'delete files to free disk space; until then, no messages are sent or received',
        {
          code: 'disk.full',
          values,
        },
      )
    case 'warn':
      return warnFinding('disk space', text, 'delete or move files before the disk is full', {
        code: 'disk.low',
        values,
      })
    case 'pass':
      return okFinding('disk space', text, { code: 'disk.ok', values })
  }
}

export function fsync(ms: number): CodedFinding {
  const values = { ms: Math.round(ms * 10) / 10 }
  const text = `disk sync takes ${ms.toFixed(1)} ms`
  if (ms <= slowMs) return okFinding('disk speed', text, { code: 'speed.ok', values })
  return warnFinding('disk speed', text, 'each message waits for two syncs: use a faster SD card or an SSD', {
    code: 'speed.slow',
    values,
  })
}

const slowMs = 50
