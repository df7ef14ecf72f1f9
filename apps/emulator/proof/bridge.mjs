// `node bridge.mjs abstract:name tcp://127.0.0.1:7001`: forwards a Unix socket in the abstract namespace to TCP.
import { connect, createServer } from 'node:net'

const [name = '', target = ''] = process.argv.slice(2)
const { hostname, port } = new URL(target)
createServer((near) => {
  const far = connect(Number(port), hostname)
  near.pipe(far).pipe(near)
  near.on('error', () => far.destroy())
  far.on('error', () => near.destroy())
}).listen(`\0${name}`)
