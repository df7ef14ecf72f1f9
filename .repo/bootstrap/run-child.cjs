'use strict'
const { spawn } = require('node:child_process')
const { constants } = require('node:os')

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const PARENT_LOOK_MS = 250

/**
 * Runs a command to its end, and hands on the signals that we get meanwhile.
 *
 * A terminal sends Ctrl-C to the child as well, so with a terminal SIGINT is not handed on. For the other signals nobody
 * can tell whether the sender meant us or the whole process group (timeout(1), systemd): in the second case the child
 * gets the signal twice, from the sender and from us. That is why apps take signals within 500 ms for one.
 */
function runChild(file, args, { started, ...options }) {
  return new Promise((resolve) => {
    let child
    let interruptedBy
    const handOn = (signal) => {
      interruptedBy = signal
      if (!(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal)
    }
    // Before the start: a signal that came between the start and the handlers would leave the child alone.
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
 * Between npm and us stands the shell that runs the script line. npm sends its SIGTERM to that one, which dies of it and
 * tells nobody: all that we see of `kill <npm>` is another parent.
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
