import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const root = resolve(import.meta.dirname, '../../..')
const files = ['docker-compose.yml', 'docker-compose.relay.yml']
const dockerfile = readFileSync(join(import.meta.dirname, 'Dockerfile'), 'utf8')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const imageTargets = [...dockerfile.matchAll(/^FROM runtime AS (\w+)$/gm)].map(([, target]) => target)
const compositions = files.map((file) => [file, servicesOf(file)] as const)

// Compose builds all services at the same time. If a machine does not have a tag yet, two builds of this tag fail.
test('no two services in any of the files build the same tag', () => {
  const built = compositions.flatMap(([, services]) => Object.values(services).flatMap((one) => one.build && one.image))
  const tags = built.filter((tag) => tag !== undefined)
  expect(tags.length).toBeGreaterThan(3)
  expect(new Set(tags).size).toBe(tags.length)
})

test.each(compositions)(
  '%s: a service that uses the image of another service depends on that service and never pulls the image',
  (_, services) => {
    for (const [name, { image = '', build, pull_policy }] of Object.entries(services)) {
      if (build !== undefined || !isOurs(image)) continue
      const builder = Object.keys(services).find((other) => services[other]?.build && services[other]?.image === image)
      expect({ name, pull_policy, dependsOn: [...dependenciesOf(services, name)] }).toMatchObject({
        name,
        pull_policy: 'never',
        dependsOn: expect.arrayContaining([builder]),
      })
    }
  },
)

test.each(compositions)('%s: every image has the name and the version that the release publishes', (_, services) => {
  const images = Object.values(services).flatMap(({ image = '' }) => (image.includes('smsgw') ? [image] : []))
  expect(images.length).toBeGreaterThan(0)
  for (const image of images) {
    const [, target = ''] = /^\$\{SMSGW_REGISTRY:-ghcr\.io\/smsgw\}\/(\w+):(.*)$/.exec(image) ?? []
    expect(imageTargets).toContain(target)
    expect(image).toMatch(new RegExp(`:${version}$`))
  }
})

test.each(compositions)('%s: our images run without rights, read-only and with the seccomp profile', (_, services) => {
  const smsgwServices = Object.values(services).filter(({ image = '' }) => isOurs(image))
  expect(smsgwServices.length).toBeGreaterThan(0)
  for (const { read_only, cap_drop, security_opt, privileged, user } of smsgwServices) {
    expect({ read_only, cap_drop, privileged, user }).toEqual({ read_only: true, cap_drop: ['ALL'] })
    expect(security_opt).toEqual(['no-new-privileges:true', 'seccomp=.repo/packaging/container/seccomp.json'])
  }
})

test('no stage of an image ends with root as user, and only the build stage runs programs', () => {
  const [, ...stages] = dockerfile.split(/^FROM /m)
  const [build = '', runtime = '', ...images] = stages
  expect(build).toMatch(/^RUN /m)
  expect(runtime).toMatch(/^USER 10001:10001$/m)
  for (const stage of [runtime, ...images]) expect(stage).not.toMatch(/^RUN /m)
  for (const stage of images) expect(stage).not.toMatch(/^USER /m)
})

test('the seccomp profile refuses calls by default, and permits no call that changes the machine or other processes', () => {
  const { defaultAction, syscalls } = JSON.parse(
    readFileSync(join(import.meta.dirname, 'seccomp.json'), 'utf8'),
  ) as SeccompProfile
  expect(defaultAction).toBe('SCMP_ACT_ERRNO')
  const granted = syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW')
  const names = granted.flatMap((rule) => rule.names)
  for (const needed of ['execve', 'mmap', 'mprotect', 'futex', 'ioctl', 'shmget', 'fdatasync'])
    expect(names).toContain(needed)
  const refused = [
    'mount',
    'ptrace',
    'bpf',
    'unshare',
    'setns',
    'keyctl',
    'io_uring_setup',
    'reboot',
    'chown',
    'setuid',
  ]
  for (const name of refused) expect(names).not.toContain(name)
  // The mask of all flags for new namespaces.
  expect(granted.find((rule) => rule.names.includes('clone'))?.args).toEqual([
    { index: 0, value: 0x7e020000, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' },
  ])
})

test('a start without a profile starts no virtual modem', () => {
  const unasked = compositions.map(([, services]) =>
    Object.keys(services).filter((name) => services[name]?.profiles === undefined),
  )
  expect(unasked).toEqual([['gateway'], ['postgres', 'relay', 'secrets']])
})

test('permits a modem that returns under another name, and no device that is not a serial port', () => {
  const users = compositions
    .flatMap(([, services]) => Object.values(services))
    .filter(({ volumes = [] }) => volumes.includes('/dev:/dev'))
  expect(users).toHaveLength(2)
  for (const { device_cgroup_rules, group_add, devices, privileged } of users) {
    expect(device_cgroup_rules).toEqual(['c 188:* rw', 'c 166:* rw', 'c 204:* rw', 'c 4:64 rw'])
    expect({ group_add, devices, privileged }).toEqual({ group_add: ['20'] })
  }
})

test('the images first install the packages in the manifest of every project, and then copy the sources', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, unknown>>
  }
  const projects = Object.keys(packages).filter((path) => path !== '' && !path.includes('node_modules'))
  const [manifests = '', sources = ''] = dockerfile.split('npm ci')
  for (const project of projects) expect(manifests).toContain(`COPY ${project}/package.json ${project}/\n`)
  expect(manifests).not.toMatch(/^COPY \. /m)
  expect(sources).toMatch(/^COPY \. \.$/m)
})

test('a fresh build repeats every command of the build stage', () => {
  const [beforeCommands = ''] = dockerfile.split(/^RUN /m)
  expect(beforeCommands).toMatch(/ AS build\n(?:.*\n)*ARG CACHE_KEY=\n/)
})

test('an image without a named target is the gateway', () => {
  expect([...dockerfile.matchAll(/^FROM .* AS (\w+)$/gm)].at(-1)?.[1]).toBe('gateway')
})

test('all images have the same base image, which a build can pin, and have labels', () => {
  const bases = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+) AS \w+$/gm)].map(([, base]) => base)
  expect(bases).toHaveLength(6)
  for (const base of bases) expect(base).toMatch(/^(?:\$\{NODE_IMAGE\}|runtime)$/)
  for (const label of ['version', 'revision', 'created', 'licenses', 'title', 'description'])
    expect(dockerfile).toContain(`org.opencontainers.image.${label}=`)
})

test('the images have the version of the product', () => {
  expect(dockerfile).toContain(`ARG VERSION=${version}\n`)
})

test('no health check starts Node', () => {
  const checks = [...dockerfile.matchAll(/^HEALTHCHECK .*CMD (\[.*\])$/gm)].map(([, words = '']) => JSON.parse(words))
  expect(checks).toHaveLength(4)
  for (const [program, script] of checks) expect([program, script]).toEqual(['bash', 'check-health.sh'])
})

interface RawService {
  readonly image?: string
  readonly build?: object
  readonly pull_policy?: string
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly profiles?: readonly string[]
  readonly volumes?: readonly unknown[]
  readonly devices?: readonly string[]
  readonly device_cgroup_rules?: readonly string[]
  readonly group_add?: readonly string[]
  readonly privileged?: boolean
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly user?: string
}

interface SeccompProfile {
  readonly defaultAction: string
  readonly syscalls: readonly { readonly names: readonly string[]; readonly action: string; readonly args?: unknown }[]
}

function isOurs(image: string): boolean {
  return image.startsWith('${SMSGW_REGISTRY')
}

function servicesOf(file: string): Readonly<Record<string, RawService>> {
  return parse(readFileSync(join(root, file), 'utf8'), { merge: true }).services
}

function dependenciesOf(services: Readonly<Record<string, RawService>>, name: string): Set<string> {
  const direct = Object.keys(services[name]?.depends_on ?? {})
  return new Set([...direct, ...direct.flatMap((each) => [...dependenciesOf(services, each)])])
}
