-- What was sent to one number, newest last; and by skipping, every number that something was sent to.
CREATE INDEX "recipients_account_id_phone_number_message_key_idx" ON "recipients"("account_id", "phone_number", "message_key");
