import { readFileSync, statSync } from 'node:fs'
import type { Server } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { Log } from '@smsgw/daemon/log'
import { StartError } from '@smsgw/daemon/start-error'

const LOOK_MS = 60_000

export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

export function readCertificate(files: CertificateFiles): { readonly cert: string; readonly key: string } {
  try {
    const pair = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') }
    createSecureContext(pair)
    return pair
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new StartError(`TLS_CERT (${files.cert}) and TLS_KEY (${files.key}) cannot be used: ${problem}`, {
      cause: error,
    })
  }
}

/** Certificates are renewed while we run: new connections get the new one. Returns what ends the watch. */
export function renewCertificate(server: Server, files: CertificateFiles, log: Log, lookMs = LOOK_MS): () => void {
  let known = modified(files)
  const timer = setInterval(() => {
    const now = modified(files)
    if (now === known) return
    known = now
    try {
      server.setSecureContext(readCertificate(files))
      log.info('the certificate was renewed')
    } catch (error) {
      log.error({ err: error }, 'the new certificate cannot be used; the old one goes on')
    }
  }, lookMs)
  timer.unref()
  return () => clearInterval(timer)
}

function modified({ cert, key }: CertificateFiles): string {
  return [cert, key].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0).join()
}
