import { z } from 'zod'

/** An address such as `127.0.0.1:7001`, `[::1]:7001` or `localhost:0`; port 0 means any free port. */
export const tcpAddress = z.string().transform((text, context) => {
  const match = /^(?:tcp:\/\/)?(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\s]+)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (match === null || port > 0xffff) {
    context.addIssue({ code: 'custom', message: `"${text}" is not an address and a port` })
    return z.NEVER
  }
  return { host: match[1] ?? match[2] ?? '', port }
})
export type TcpAddress = z.infer<typeof tcpAddress>
