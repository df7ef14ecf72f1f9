'use strict'
const fs = require('node:fs')
const path = require('node:path')
const { fail } = require('./fail.cjs')
const { libc } = require('./platform.cjs')

const OLDEST_NODE = 24
/** The package with the Node of the repository. */
const OWN_NODE = `node-${process.platform}-${process.arch}`

/** Returns the Node that is installed as a dependency; '' if there is none for this machine. */
function ownNode(root) {
  const node = path.join(root, 'node_modules', OWN_NODE, 'bin', 'node')
  return fs.existsSync(node) && libc() !== 'musl' ? node : ''
}

function pathWithOwnNode(root) {
  const node = ownNode(root) || (isHostNewEnough() ? process.execPath : fail(noSuitableNode()))
  return [path.dirname(node), path.join(root, 'node_modules', '.bin'), process.env.PATH].join(path.delimiter)
}

/**
 * npm 11 creates this link, but npm 9 and 10 do not. Before Nx runs a script of a project, it removes the repository's
 * folders from PATH, and npm adds only node_modules/.bin again. Without the link, the Node of the host would run the
 * script.
 */
function linkOwnNode(root) {
  if (!ownNode(root)) return
  const link = path.join(root, 'node_modules', '.bin', 'node')
  const target = path.join('..', OWN_NODE, 'bin', 'node')
  if (targetOf(link) === target) return
  fs.mkdirSync(path.dirname(link), { recursive: true })
  // Creates the link under another name and then renames it. So other commands always find a Node.
  const aside = `${link}-${process.pid}`
  fs.symlinkSync(target, aside)
  fs.renameSync(aside, link)
}

function targetOf(link) {
  try {
    return fs.readlinkSync(link)
  } catch (error) {
    // either there is no link, or a file is in its place
    if (error.code === 'ENOENT' || error.code === 'EINVAL') return ''
    throw error
  }
}

function isHostNewEnough() {
  return Number(process.versions.node.split('.')[0]) >= OLDEST_NODE
}

function noSuitableNode() {
  return (
    `Node ${process.version} is too old, and npm installs a newer one only on 64-bit Linux with glibc, not on ` +
    `${process.platform} ${process.arch}: install Node ${OLDEST_NODE} or newer, then try again`
  )
}

module.exports = { isHostNewEnough, linkOwnNode, OWN_NODE, ownNode, pathWithOwnNode }
