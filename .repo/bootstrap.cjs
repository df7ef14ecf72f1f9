// The first thing every npm script of this repository runs, in plain JavaScript that Node 18 understands.
// It installs what package-lock.json names and is not there, then runs the given command under the Node that
// the repository brings along (npm 9 and 10 do not put that one into PATH by themselves).
//
//   node .repo/bootstrap.cjs <command> [arguments…]
'use strict'
const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { constants } = require('node:os')

const root = path.resolve(__dirname, '..')
const OLDEST_NODE = 24
const INSTALL_WAIT_MS = 10 * 60_000

main()

function main() {
  const command = process.argv.slice(2)
  if (command.length === 0) fail('usage: node .repo/bootstrap.cjs <command> [arguments…]')
  if (whatIsMissing()) withInstallLock(install)
  run(command, pathWithOwnNode())
}

/** The first package of the lockfile that is not installed in its locked version, or '' when all are. */
function whatIsMissing() {
  const wanted = readJson('package-lock.json')
  if (!wanted) fail('package-lock.json is missing or broken: check the repository out again')
  const installed = readJson('node_modules/.package-lock.json')
  if (!installed) return 'node_modules'
  const ownNode = `node_modules/${ownNodePackage()}`
  for (const [place, entry] of Object.entries(wanted.packages)) {
    if (place === '') continue
    const there = installed.packages[place]
    const needed = place === ownNode || !(entry.optional || entry.devOptional)
    if (!there && needed) return place
    if (there && there.version !== entry.version) return place
  }
  return ''
}

function install() {
  if (!whatIsMissing()) return // another start installed it while we waited
  process.stderr.write('Installing the dependencies (once, about half a minute)…\n')
  const npm = npmCommand()
  // npm prints its progress to our stderr: the standard output belongs to the command that follows.
  const result = spawnSync(npm.file, [...npm.arguments, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    env: { ...process.env, NODE_ENV: '' },
  })
  if (result.error) fail(`npm could not be started (${result.error.message}): install npm, then try again`)
  if (result.status !== 0) fail('npm ci failed (see above): mend the cause, then run the same command again')
}

function npmCommand() {
  const fromNpm = process.env.npm_execpath
  if (fromNpm?.endsWith('.js') && fs.existsSync(fromNpm)) return { file: process.execPath, arguments: [fromNpm] }
  return { file: 'npm', arguments: [] }
}

/** Two first starts at once (`npm start` and `npm test`) must not install over each other. */
function withInstallLock(work) {
  const lock = path.join(root, '.cache', 'installing')
  fs.mkdirSync(path.dirname(lock), { recursive: true })
  const giveUpAt = Date.now() + INSTALL_WAIT_MS
  while (!tryLock(lock)) {
    if (Date.now() > giveUpAt)
      fail(`another installation has held ${lock} for too long: remove that file, then try again`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
  process.on('exit', () => fs.rmSync(lock, { force: true }))
  work()
  fs.rmSync(lock, { force: true })
}

function tryLock(lock) {
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!isAlive(Number(readText(lock)))) fs.rmSync(lock, { force: true })
    return false
  }
}

function isAlive(pid) {
  if (!pid) return true // just created, the number not yet written
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function ownNodePackage() {
  return `node-${process.platform}-${process.arch}`
}

function pathWithOwnNode() {
  const places = [path.join(root, 'node_modules', '.bin'), process.env.PATH]
  const ownNode = path.join(root, 'node_modules', ownNodePackage(), 'bin')
  if (fs.existsSync(path.join(ownNode, 'node'))) return [ownNode, ...places].join(path.delimiter)
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) {
    return [path.dirname(process.execPath), ...places].join(path.delimiter)
  }
  return fail(
    `no Node ${OLDEST_NODE} comes along for ${process.platform} ${process.arch} (64-bit Linux has one) and this one is ` +
      `${process.version}: install Node ${OLDEST_NODE} or newer, then try again`,
  )
}

function run([file, ...args], searchPath) {
  const child = spawn(file, args, { cwd: root, stdio: 'inherit', env: { ...process.env, PATH: searchPath } })
  // A terminal sends Ctrl-C to the child as well; what comes from elsewhere is handed on.
  process.on('SIGINT', () => undefined)
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(`${file} could not be started: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
}

function readJson(name) {
  try {
    return JSON.parse(readText(path.join(root, name)))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

function fail(message) {
  process.stderr.write(`smsgw: ${message}\n`)
  process.exit(1)
}
