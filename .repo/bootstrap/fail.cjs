'use strict'

/** Ends the process with one line for the person who typed the command. */
function fail(message) {
  process.stderr.write(`smsgw: ${message}\n`)
  process.exit(1)
}

module.exports = { fail }
