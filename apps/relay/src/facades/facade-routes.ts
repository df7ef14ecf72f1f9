import { type Route, rootRoute } from '../http/route.ts'
import { type KannelDeps, sendSmsAsKannel } from './kannel/send-sms.ts'
import { sendPlain } from './send-plain.ts'
import { sendSmsV2 } from './smseagle/api-v2.ts'
import { callJsonRpc } from './smseagle/json-rpc.ts'
import { sendSms } from './smseagle/send-sms.ts'

/** The routes with interfaces of other products. They are at the root of the server, where programs expect them. */
export function facadeRoutes(deps: KannelDeps): Route[] {
  const { accept } = deps
  const smseagle = sendSms(accept)
  const jsonRpc = callJsonRpc(accept)
  return [
    rootRoute('POST', '/api/v1/sms/send', 'messages:send', 'Send a text to one number', sendPlain(accept)),
    rootRoute('GET', '/cgi-bin/sendsms', 'messages:send', 'Send as Kannel does', sendSmsAsKannel(deps)),
    ...['', '/index.php'].flatMap((start) => [
      rootRoute('GET', `${start}/http_api/send_sms`, 'messages:send', 'Send as SMSEagle does', smseagle),
      rootRoute('POST', `${start}/http_api/send_sms`, 'messages:send', 'Send as SMSEagle does', smseagle),
      rootRoute('POST', `${start}/jsonrpc/sms`, 'messages:send', 'Send as SMSEagle does', jsonRpc),
    ]),
    rootRoute('POST', '/api/v2/messages/sms', 'messages:send', 'Send as SMSEagle does', sendSmsV2(accept)),
  ]
}
