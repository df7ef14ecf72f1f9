-- Finds the messages to one number, oldest first. Also lists all numbers of an account, by skipping from one number to the next.
CREATE INDEX "recipients_account_id_phone_number_message_key_idx" ON "recipients"("account_id", "phone_number", "message_key");
