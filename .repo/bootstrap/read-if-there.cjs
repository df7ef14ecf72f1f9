'use strict'
const fs = require('node:fs')

/** The file's text, or '' when there is no such file. */
function readIfThere(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

module.exports = { readIfThere }
