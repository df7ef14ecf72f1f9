'use strict'
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { fail } = require('./fail.cjs')
const { readIfThere } = require('./read-if-there.cjs')

const WAIT_MS = 10 * 60_000
const SETTLE_MS = 100

/**
 * Two commands may be the first ones at the same time, such as `npm start` and `npm test`. Only one of them may
 * install packages. The lock is a file with the pid of the process that installs: first this process, then npm, which
 * may run longer.
 */
async function withInstallLock(root, work) {
  const lock = path.join(root, '.cache', 'installing')
  fs.mkdirSync(path.dirname(lock), { recursive: true })
  await acquire(lock)
  let holder = process.pid
  const release = () => {
    if (holderOf(lock) === holder) fs.rmSync(lock, { force: true })
  }
  process.on('exit', release)
  await work((installerPid) => {
    holder = installerPid
    putInPlace(holder, lock, fs.renameSync)
  })
  process.off('exit', release)
  release()
}

async function acquire(lock) {
  const giveUpAt = Date.now() + WAIT_MS
  let isWaiting = false
  while (!(await tryLock(lock))) {
    const holder = holderOf(lock)
    if (!isAlive(holder)) {
      fs.rmSync(lock, { force: true })
      continue
    }
    if (!isWaiting)
      process.stderr.write(
        `waiting for installation by process ${holder}… (if that process is not npm, remove ${lock})\n`,
      )
    isWaiting = true
    if (Date.now() > giveUpAt) fail(`process ${holder} has held ${lock} for too long: remove the file, then try again`)
    await sleep(200)
  }
}

async function tryLock(lock) {
  try {
    putInPlace(process.pid, lock, fs.linkSync)
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
  // Another process may have found the same lock of a dead process. Then it may have removed the new lock instead of
  // the old one, so all processes try again.
  await sleep(SETTLE_MS)
  return holderOf(lock) === process.pid
}

/** Writes the lock to a temporary file first, so that the lock never exists without a pid. */
function putInPlace(pid, lock, put) {
  const aside = `${lock}-${process.pid}`
  fs.writeFileSync(aside, String(pid))
  try {
    put(aside, lock)
  } finally {
    fs.rmSync(aside, { force: true })
  }
}

function holderOf(lock) {
  return Number(readIfThere(lock)) || 0
}

function isAlive(pid) {
  // the lock is from before a restart of the container and has the pid of this process by chance
  if (pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

module.exports = { withInstallLock }
