'use strict'
const { spawn } = require('node:child_process')
const { constants } = require('node:os')

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const PARENT_LOOK_MS = 250

/**
 * Runs a command, and forwards signals to it.
 *
 * A terminal also sends Ctrl-C to the child, so SIGINT is not forwarded if there is a terminal. Other signals may have
 * been sent to this process only, or to its whole group, as timeout(1) and systemd do. In a group, the child gets such
 * a signal twice. So apps count signals within 500 ms as one.
 */
function runChild(file, args, { started, ...options }) {
  return new Promise((resolve) => {
    let child
    let interruptedBy
    const handOn = (signal) => {
      interruptedBy = signal
      if (!(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal)
    }
    // This must run before the start of the child. Otherwise a signal could be lost.
    for (const signal of SIGNALS) process.on(signal, handOn)
    const stopWatching = whenNpmEnds(() => handOn('SIGTERM'))
    const end = (result) => {
      stopWatching()
      for (const signal of SIGNALS) process.off(signal, handOn)
      resolve({ ...result, interruptedBy })
    }
    child = spawn(file, args, options)
    if (child.pid !== undefined) started?.(child.pid)
    child.on('error', (error) => end({ error }))
    child.on('exit', (code, signal) => end({ code, signal }))
  })
}

/**
 * npm runs the script in a shell and sends SIGTERM to that shell, which ends without forwarding it. This process
 * notices `kill <npm>` only because its parent process changes.
 */
function whenNpmEnds(act) {
  if (!process.env.npm_lifecycle_event) return () => undefined
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    act()
  }, PARENT_LOOK_MS)
  return () => clearInterval(timer)
}

function exitCodeOf({ code, signal }) {
  return signal ? 128 + constants.signals[signal] : code
}

module.exports = { exitCodeOf, runChild }
