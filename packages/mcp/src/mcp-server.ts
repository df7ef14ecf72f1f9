import { McpServer } from '@modelcontextprotocol/server'
import type { SmsGateway } from '@smsgw/client'
import { registerListDevices } from './tools/list-devices.ts'
import { registerConversationTools } from './tools/read-conversations.ts'
import { registerMessageTools } from './tools/read-messages.ts'
import { registerSendSms } from './tools/send-sms.ts'
import { registerWaitForReply } from './tools/wait-for-reply.ts'
import { UNTRUSTED_NOTE } from './untrusted-text.ts'

export interface McpServerOptions {
  /** The API with the credentials of the caller. These credentials limit all actions of the server. */
  readonly api: SmsGateway
  readonly version: string
}

const INSTRUCTIONS = `Sends and reads text messages (SMS) through the SIM cards of the user. ${UNTRUSTED_NOTE} Sending costs money and cannot be undone, so send only what the user asked for. If a message waits for approval, a person must approve it in the console: tell the user, and do not send it again.`

/** Creates the MCP server with its tools. One server serves one connection. */
export function createMcpServer({ api, version }: McpServerOptions): McpServer {
  const server = new McpServer(
    { name: 'smsgw', title: 'SMS gateway', version },
    { instructions: INSTRUCTIONS, capabilities: { tools: {} } },
  )
  registerSendSms(server, api)
  registerConversationTools(server, api)
  registerMessageTools(server, api)
  registerWaitForReply(server, api)
  registerListDevices(server, api)
  return server
}
