'use strict'
const { readIfThere } = require('./read-if-there.cjs')

/** Returns true if npm installs a package with these `os`, `cpu` and `libc` fields on this machine. */
function fitsHere({ os, cpu, libc: wantedLibc }) {
  return allows(os, process.platform) && allows(cpu, process.arch) && (!wantedLibc || allows(wantedLibc, libc()))
}

function allows(field, here) {
  const names = [field ?? []].flat()
  if (names.includes(`!${here}`)) return false
  const wanted = names.filter((name) => !name.startsWith('!'))
  return wanted.length === 0 || wanted.includes(here)
}

let known

/**
 * Reads the C library from the memory map of this process, because Node's report would take 30 ms for every command.
 */
function libc() {
  if (process.platform !== 'linux') return ''
  known ??= /\/ld-musl-/.test(readIfThere('/proc/self/maps')) ? 'musl' : 'glibc'
  return known
}

module.exports = { fitsHere, libc }
