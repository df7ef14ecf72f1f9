import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = resolve(import.meta.dirname, '../..')
const deploy = join(root, 'deploy')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-deploy-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the Home Assistant add-on', () => {
  const config = yaml('home-assistant/smsgw/config.yaml')

  test('the Home Assistant add-on has the version of the product, and is built from its image', () => {
    expect(config['version']).toBe(version)
    expect(read('home-assistant/smsgw/Dockerfile')).toContain(`ghcr.io/smsgw/gateway:${version}\n`)
  })

  test('the Home Assistant add-on has a type for each option, and describes each option in each language', () => {
    const options = Object.keys(config['schema'])
    expect(options).toEqual(expect.arrayContaining(Object.keys(config['options'])))
    const languages = readdirSync(join(deploy, 'home-assistant/smsgw/translations'))
    expect(languages).toEqual(['de.yaml', 'en.yaml'])
    for (const file of languages) {
      const { configuration } = yaml(`home-assistant/smsgw/translations/${file}`)
      expect(Object.keys(configuration)).toEqual(options)
    }
  })

  test('the Home Assistant add-on turns its options into settings, even if they contain special characters', () => {
    const settings = settingsOf({
      modems: '/dev/ttyUSB2',
      sim_pin: '0042',
      ssl: true,
      certfile: "it's.pem",
      keyfile: 'key.pem',
      log_level: 'debug',
      settings: [{ name: 'ENCRYPTION_PASSPHRASE', value: '$(touch pwned) `id` "a" \\ b' }],
    })
    expect(settings).toEqual({
      HOST: '0.0.0.0',
      PORT: '3000',
      MODEMS: '/dev/ttyUSB2',
      SIM_1_PIN: '0042',
      LOG_LEVEL: 'debug',
      TLS_CERT: "/ssl/it's.pem",
      TLS_KEY: '/ssl/key.pem',
      ENCRYPTION_PASSPHRASE: '$(touch pwned) `id` "a" \\ b',
    })
    expect(readdirSync(folder)).toEqual(['options.json'])
  })

  test('the Home Assistant add-on leaves settings without an option at their default', () => {
    expect(settingsOf(config['options'])).toEqual({ HOST: '0.0.0.0', PORT: '3000', MODEMS: 'auto', LOG_LEVEL: 'info' })
  })

  /** Returns the settings that a shell has after it has run the output. */
  function settingsOf(options: object): Record<string, string> {
    const file = join(folder, 'options.json')
    writeFileSync(file, JSON.stringify(options))
    const script = execFileSync(process.execPath, [join(deploy, 'home-assistant/smsgw/read-options.mjs'), file])
    const print = `process.stdout.write(JSON.stringify(process.env))`
    const output = execFileSync('sh', ['-c', `${script}\nexec '${process.execPath}' -e '${print}'`], {
      cwd: folder,
      env: {},
      encoding: 'utf8',
    })
    const { PWD, OLDPWD, SHLVL, _, ...settings } = JSON.parse(output) as Record<string, string>
    return settings
  }
})

describe('the Helm chart', () => {
  const values = yaml('helm/smsgw/values.yaml')
  const helm = spawnSync('helm', ['version']).status === 0

  test('the Helm chart has the version of the product', () => {
    const chart = yaml('helm/smsgw/Chart.yaml')
    expect([chart['version'], chart['appVersion']]).toEqual([version, version])
  })

  test('the Helm chart has a schema for each value', () => {
    const { properties } = JSON.parse(read('helm/smsgw/values.schema.json')) as { properties: Record<string, unknown> }
    expect(Object.keys(properties).filter((name) => name !== 'global')).toEqual(Object.keys(values))
  })

  test.skipIf(!helm)('every pod runs without rights, and secret values are in files, not in the environment', () => {
    const resources = render('--set', 'autoscaling.enabled=true', '--set', 'ingress.enabled=true', ...address)
    expect(resources.map(({ kind }) => kind).sort()).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'Service',
    ])
    const pods = resources
      .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
      .map(({ spec }) => spec.template)
    for (const { spec } of pods) {
      expect(spec.automountServiceAccountToken).toBe(false)
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
      const [{ securityContext, env, image }] = spec.containers
      expect(image).toBe(`ghcr.io/smsgw/relay:${version}`)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      const names = env.map(({ name }: { name: string }) => name)
      expect(names).toEqual(expect.arrayContaining(['DATABASE_URL_FILE', 'SERVER_SECRET_FILE', 'ADMIN_PASSWORD_FILE']))
      expect(JSON.stringify(env)).not.toContain('secretKeyRef')
    }
  })

  test.skipIf(!helm)('the Helm chart refuses an unknown or invalid value, and an ingress without an address', () => {
    expect(() => render('--set', 'replcas=3')).toThrow("additional properties 'replcas' not allowed")
    expect(() => render('--set', 'ingress.enabled=true')).toThrow('publicUrl is empty')
    expect(() => render('--set', 'imagePullSecrets[0]=registry')).toThrow('/imagePullSecrets/0')
    expect(() => render('--set', 'networkPolicy.databaseCidrs[0]=db.example')).toThrow('/networkPolicy/databaseCidrs/0')
    const autoscaling = ['autoscaling.enabled=true', 'autoscaling.minReplicas=7']
    expect(() => render(...autoscaling.flatMap((value) => ['--set', value]))).toThrow('autoscaling.minReplicas is 7')
  })

  test.skipIf(!helm)('if messages are late, one relay at a time is added', () => {
    const behaviorOf = (...values: string[]) =>
      render(...['autoscaling.enabled=true', ...values].flatMap((value) => ['--set', value])).find(
        ({ kind }) => kind === 'HorizontalPodAutoscaler',
      )?.spec.behavior
    const policies = [{ type: 'Pods', value: 1, periodSeconds: 120 }]
    expect(behaviorOf('autoscaling.dispatchLag.enabled=true').scaleUp).toEqual({ policies })
    expect(behaviorOf()).toEqual({ scaleDown: { stabilizationWindowSeconds: 600 } })
    expect(() => behaviorOf('autoscaling.dispatchLag.secondsPerRelay=0')).toThrow('secondsPerRelay')
  })

  test.skipIf(!helm)('numbers and flags in env reach the relay and the migration as the relay reads them', () => {
    const file = join(folder, 'values.yaml')
    writeFileSync(file, 'env: { HASH_AFTER_SECONDS: 2592000, WEBHOOK_ALLOW_HTTP: true, DEFAULT_REGION: GB }\n')
    for (const { spec } of render('--values', file).filter(({ kind }) => kind === 'Deployment' || kind === 'Job'))
      expect(spec.template.spec.containers[0].env).toEqual(
        expect.arrayContaining([
          { name: 'HASH_AFTER_SECONDS', value: '2592000' },
          { name: 'WEBHOOK_ALLOW_HTTP', value: 'true' },
          { name: 'DEFAULT_REGION', value: 'GB' },
        ]),
      )
  })

  const address = ['--set', 'publicUrl=https://sms.example.org']

  function render(...options: string[]): Resource[] {
    const args = ['template', 'sms', join(deploy, 'helm/smsgw'), '--kube-version', '1.31.0', ...options]
    const { status, stdout, stderr } = spawnSync('helm', args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    return stdout.split(/^---$/m).flatMap((text) => parse(text) ?? [])
  }
})

test('the Ansible role describes each of its variables', () => {
  const specs = yaml('ansible/roles/smsgw/meta/argument_specs.yml')
  const { options } = specs['argument_specs'].main
  expect(Object.keys(options).sort()).toEqual(Object.keys(yaml('ansible/roles/smsgw/defaults/main.yml')).sort())
})

test('the cloud-init file installs the package and starts the service', () => {
  const text = read('raspberry-pi/user-data')
  expect(text.split('\n')[0]).toBe('#cloud-config')
  const { packages, runcmd } = parse(text) as { packages: string[]; runcmd: string[][] }
  expect(packages).toEqual(['smsgw'])
  expect(runcmd).toContainEqual(['systemctl', 'enable', '--now', 'smsgw-gateway.service'])
})

interface Resource {
  readonly kind: string
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the kind
  readonly spec: any
}

// biome-ignore lint/suspicious/noExplicitAny: a file of another program
function yaml(file: string): Record<string, any> {
  return parse(read(file))
}

function read(file: string): string {
  return readFileSync(join(deploy, file), 'utf8')
}
