-- recipients_due serves the same queries, also those of older releases.
DROP INDEX CONCURRENTLY IF EXISTS recipients_waiting;
