-- recipients_of_number serves the same queries. Those of older releases then read all entries of the account.
DROP INDEX CONCURRENTLY IF EXISTS "recipients_account_id_phone_number_message_key_idx";
