'use strict'
const fs = require('node:fs')

/** Returns the text of the file, or '' if the file does not exist. */
function readIfThere(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

module.exports = { readIfThere }
