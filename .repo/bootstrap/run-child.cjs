'use strict'
const { spawn } = require('node:child_process')
const { constants } = require('node:os')

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const PARENT_LOOK_MS = 250

/**
 * Runs a command, and passes on signals to it.
 *
 * A terminal also sends Ctrl-C to the child, so SIGINT is not passed on if there is a terminal. Other signals may have
 * been sent to this process alone, or to the whole group (timeout(1), systemd). In a group, the child gets them twice,
 * so apps count signals within 500 ms as one.
 */
function runChild(file, args, { started, ...options }) {
  return new Promise((resolve) => {
    let child
    let interruptedBy
    const handOn = (signal) => {
      interruptedBy = signal
      if (!(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal)
    }
    // Must run before the start of the child, so that no signal is lost.
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
 * npm runs the script in a shell and sends SIGTERM to that shell, which ends without passing it on. The only sign of
 * `kill <npm>` in this process is a new parent process.
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
