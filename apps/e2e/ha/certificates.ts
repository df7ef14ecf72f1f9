import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { giveToOrdinaryUser } from '../src/house/machine/ordinary-user.ts'

/** A certificate authority for the database machines, made with the commands of the guide. */
export class Certificates {
  readonly authority: string
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    this.authority = join(folder, 'ca.pem')
    const subject = ['-subj', '/CN=smsgw database']
    openssl(
      'req',
      '-x509',
      ...KEY,
      '-keyout',
      join(folder, 'ca.key'),
      '-out',
      this.authority,
      '-days',
      '3650',
      ...subject,
    )
  }

  /** Creates `ca.pem`, `machine.pem` and `machine.key` in the folder. */
  create(folder: string, name: string, address: string): void {
    const [key, request, extensions] = ['machine.key', 'machine.csr', 'machine.ext'].map((file) => join(folder, file))
    const certificate = join(folder, 'machine.pem')
    writeFileSync(
      extensions ?? '',
      `subjectAltName=DNS:${name},IP:${address}\nextendedKeyUsage=serverAuth,clientAuth\n`,
    )
    openssl('req', ...KEY, '-keyout', key ?? '', '-out', request ?? '', '-subj', `/CN=${name}`)
    const by = ['-CA', this.authority, '-CAkey', join(this.#folder, 'ca.key'), '-CAcreateserial']
    openssl(
      'x509',
      '-req',
      '-in',
      request ?? '',
      ...by,
      '-days',
      '825',
      '-extfile',
      extensions ?? '',
      '-out',
      certificate,
    )
    copyFileSync(this.authority, join(folder, 'ca.pem'))
    chmodSync(key ?? '', 0o600)
    giveToOrdinaryUser(key ?? '')
  }
}

/** Creates a certificate that nobody trusts, and its key, in one file. */
export function createCertificate(file: string): void {
  openssl('req', '-x509', ...KEY, '-keyout', `${file}.key`, '-out', file, '-subj', '/CN=relay.example')
  appendFileSync(file, readFileSync(`${file}.key`))
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
