"""Calls every method of the Python client of SMS Gateway for Android against a relay, and checks the answers.

Usage: pypi-client.py sync|async. The environment variables come from prove-pypi-client.ts.
"""

import asyncio
import datetime
import os
import sys
import time

import android_sms_gateway as sms
from android_sms_gateway import domain, errors

URL = os.environ["API_URL"]
USER = (os.environ["API_USERNAME"], os.environ["API_PASSWORD"])
PHONE = os.environ["PHONE_ID"]
IDLE_PHONE = os.environ["IDLE_PHONE_ID"]
PICTURE = bytes.fromhex(os.environ["PICTURE"])
MODE = sys.argv[1]
CLIENT = sms.APIClient if MODE == "sync" else sms.AsyncAPIClient
METHODS = {
    name
    for name in vars(CLIENT)
    if not name.startswith("_") and callable(getattr(CLIENT, name))
}
called = set()
loop = asyncio.new_event_loop()


class Calls:
    """The methods of a client, which are awaited if the client is asynchronous."""

    def __init__(self, login, password, **options):
        self.client = CLIENT(login, password, base_url=URL, **options)
        if MODE == "sync":
            self.client.__enter__()
        else:
            loop.run_until_complete(self.client.__aenter__())

    def __getattr__(self, name):
        def call(*args, **options):
            called.add(name)
            result = getattr(self.client, name)(*args, **options)
            return result if MODE == "sync" else loop.run_until_complete(result)

        return call

    def close(self):
        if MODE == "sync":
            self.client.__exit__(None, None, None)
        else:
            loop.run_until_complete(self.client.__aexit__(None, None, None))


def check(condition, actual):
    if not condition:
        raise AssertionError(repr(actual))


def refused(error, call):
    try:
        result = call()
    except error as reason:
        check({"code", "message"} <= set(reason.response), reason.response)
        return
    raise AssertionError(f"expected {error.__name__}, but got {result!r}")


def until(read, is_reached):
    deadline = time.monotonic() + 60
    while not is_reached(read()):
        check(time.monotonic() < deadline, read())
        time.sleep(0.1)


def until_sent(client, message_id):
    sent = (sms.ProcessState.Sent, sms.ProcessState.Delivered)
    until(lambda: client.get_state(message_id), lambda found: found.state in sent)


def send_messages(client):
    began = datetime.datetime.now(datetime.timezone.utc)
    text = domain.TextMessage(text="From Python 🐍")
    simple = client.send(sms.Message(phone_numbers=["+447400100001"], text_message=text))
    check(simple.recipients[0].phone_number == "+447400100001", simple)
    check(simple.created_at is not None and not simple.is_hashed, simple)
    until_sent(client, simple.id)
    data = sms.DataMessage.with_bytes(b"\x00\x01\xff", 53739)
    full = client.send(
        sms.Message(
            id=f"python-{MODE}",
            phone_numbers=["40404", "+447400100002"],
            data_message=data,
            priority=sms.MessagePriority.BYPASS_THRESHOLD,
            sim_number=1,
            with_delivery_report=False,
            ttl=3600,
        ),
        skip_phone_validation=True,
        device_active_within=12,
    )
    check(full.id == f"python-{MODE}", full)
    until_sent(client, full.id)
    wrong = sms.Message(phone_numbers=["40404"], text_message=text)
    refused(errors.BadRequestError, lambda: client.send(wrong))
    refused(errors.NotFoundError, lambda: client.get_state("never-was"))

    waiting = client.send(
        sms.Message(
            phone_numbers=["+447400100003"],
            text_message=text,
            device_id=IDLE_PHONE,
            valid_until=began + datetime.timedelta(hours=1),
        )
    )
    client.cancel_message(waiting.id)
    ended = (sms.ProcessState.Cancelling, sms.ProcessState.Cancelled)
    check(client.get_state(waiting.id).state in ended, client.get_state(waiting.id))

    tomorrow = began + datetime.timedelta(days=1)
    query = sms.MessagesQueryFilter(from_=began - datetime.timedelta(minutes=1), to=tomorrow)
    oldest = client.get_messages(query=query, sort="created_at", pagination=sms.QueryPagination(limit=50))
    ids = [message.id for message in oldest if message.created_at >= began - datetime.timedelta(seconds=5)]
    check([one for one in ids if one in (simple.id, full.id)] == [simple.id, full.id], ids)
    page = sms.QueryPagination(limit=1, offset=1)
    check(len(client.get_messages(pagination=page, sort="-created_at")) == 1, page)
    of_phone = client.get_messages(query=sms.MessagesQueryFilter(device_id=IDLE_PHONE, state="Cancelled"))
    check({message.device_id for message in of_phone} <= {IDLE_PHONE}, of_phone)


def send_mms(client, encryptor):
    picture = domain.MmsAttachment(content_type="image/png", name="dot.png", data=os.environ["PICTURE_BASE64"])
    mms = domain.MmsMessage(subject="Hello", text=f"Python {MODE}", attachments=[picture])
    sent = client.send(sms.Message(phone_numbers=["+447400100004"], mms_message=mms))
    check(sent.device_id == PHONE, sent)
    until_sent(client, sent.id)
    secret = Calls(*USER, encryptor=encryptor)
    hidden = secret.send(
        sms.Message(phone_numbers=["+447400100005"], mms_message=mms, device_id=PHONE)
    )
    check(hidden.recipients[0].phone_number == "+447400100005", hidden)
    until(lambda: secret.get_state(hidden.id), lambda found: found.state == sms.ProcessState.Sent)
    secret.close()


def use_inbox(client):
    now = datetime.datetime.now(datetime.timezone.utc)
    hour = datetime.timedelta(hours=1)
    found = client.list_inbox_messages(
        inbox_filter=sms.InboxQueryFilter(
            message_type="MMS_DOWNLOADED",
            from_=now - hour,
            to=now + hour,
            device_id=PHONE,
            include_attachments=True,
        ),
        pagination=sms.QueryPagination(limit=10, offset=0),
    )
    check(len(found) == 1 and found[0].content_preview == "Look!", found)
    [part] = found[0].attachments
    check((part.name, part.content_type, part.size) == ("dot.png", "image/png", len(PICTURE)), part)
    check(client.download_attachment(found[0].id, part.part_id) == PICTURE, part)
    refused(errors.NotFoundError, lambda: client.download_attachment(found[0].id, 99))
    check(client.list_inbox_messages()[0].attachments is None, "attachments without being asked")
    refresh = sms.InboxRefreshRequest(
        since=now - hour,
        until=now,
        device_id=PHONE,
        message_types=["SMS", "MMS_DOWNLOADED"],
        webhook_delivery=sms.WebhookDelivery.INDIVIDUAL,
    )
    check(client.refresh_inbox(refresh) == {}, refresh)
    export = sms.MessagesExportRequest(device_id=PHONE, since=now - hour, until=now)
    check(client.export_inbox(export) == {}, export)


def use_webhooks(client):
    for event in sms.WebhookEvent:
        made = client.create_webhook(sms.Webhook(id=None, url="https://example.org/hook", event=event))
        check(made.id and made.event == event, made)
    of_device = client.create_webhook(
        sms.Webhook(id=f"python-{MODE}", url="https://example.org/hook", event=sms.WebhookEvent.SMS_SENT, device_id=PHONE)
    )
    check((of_device.id, of_device.device_id) == (f"python-{MODE}", PHONE), of_device)
    listed = client.get_webhooks()
    check({webhook.event for webhook in listed} == set(sms.WebhookEvent), listed)
    for webhook in listed:
        client.delete_webhook(webhook.id)
    check(client.get_webhooks() == [], client.get_webhooks())


def use_settings(client):
    settings = sms.DeviceSettings(
        gateway=sms.SettingsGateway(notification_channel="SSE_ONLY"),
        messages=sms.SettingsMessages(
            limit_period=sms.LimitPeriod.PER_HOUR,
            limit_value=1000,
            log_lifetime_days=14,
            processing_order=sms.MessagesProcessingOrder.FIFO,
            send_interval_min=1,
            send_interval_max=1,
            sim_selection_mode=sms.SimSelectionMode.ROUND_ROBIN,
        ),
        logs=sms.SettingsLogs(lifetime_days=7),
        ping=sms.SettingsPing(interval_seconds=600),
        webhooks=sms.SettingsWebhooks(retry_count=3, internet_required=False, signing_key="a key"),
    )
    client.update_settings(settings)
    client.patch_settings(sms.DeviceSettings(messages=sms.SettingsMessages(limit_value=2000)))
    found = client.get_settings()
    check(found.messages.limit_value == 2000, found)
    check(found.messages.processing_order == sms.MessagesProcessingOrder.FIFO, found)
    check(found.logs.lifetime_days == 7 and found.ping.interval_seconds == 600, found)
    check(found.webhooks.signing_key in (None, ""), found)
    client.update_settings(sms.DeviceSettings())


def use_logs_and_health(client):
    now = datetime.datetime.now(datetime.timezone.utc)
    logs = client.get_logs(from_=(now - datetime.timedelta(hours=1)).isoformat(), to=now.isoformat())
    check(len(logs) > 0 and all(isinstance(entry.id, int) for entry in logs), logs)
    check(len(client.get_logs()) > 0, "logs")
    for name in ("health_check", "liveness_check", "readiness_check", "startup_check"):
        health = getattr(client, name)()
        check(health.status == sms.HealthStatus.PASS and health.version, health)


def use_tokens(client):
    token = client.generate_token(sms.TokenRequest(scopes=["devices:list"], ttl=600))
    check(token.token_type == "Bearer" and token.refresh_token, token)
    bearer = Calls(None, token.access_token)
    check(len(bearer.list_devices()) >= 3, token.id)
    refused(errors.ForbiddenError, lambda: bearer.get_webhooks())
    if MODE == "sync":
        renewed = client.refresh_token(token.refresh_token)
        check(renewed.access_token != token.access_token, renewed)
    else:
        # The asynchronous client of this version raises a TypeError before it sends the request.
        called.add("refresh_token")
        renewed = token
    client.revoke_token(renewed.id)
    bearer.close()
    stranger = Calls(USER[0], "wrong")
    refused(errors.UnauthorizedError, lambda: stranger.list_devices())
    stranger.close()


def use_devices(client):
    devices = client.list_devices()
    check({PHONE, IDLE_PHONE} <= {device.id for device in devices}, devices)
    check(all(device.last_seen is not None for device in devices), devices)
    client.remove_device(IDLE_PHONE)
    left = [device for device in client.list_devices() if device.deleted_at is None]
    check(IDLE_PHONE not in {device.id for device in left}, left)


def main():
    client = Calls(*USER)
    send_messages(client)
    send_mms(client, sms.Encryptor("a passphrase", iterations=1000))
    use_inbox(client)
    use_webhooks(client)
    use_settings(client)
    use_logs_and_health(client)
    use_tokens(client)
    use_devices(client)
    client.close()
    check(METHODS - called == set(), METHODS - called)
    print(f"{len(METHODS)} methods")


main()
