-- Divides `logs` into partitions by day (UTC). The existing table becomes the partition for all times before the boundary of 0046,
-- so no row is copied. A relay makes the partitions of later days, and drops those that no account needs any more
-- (apps/relay/src/store/partitions). Statements of the previous release run unchanged on the new table.
ALTER TABLE "logs" DROP CONSTRAINT "logs_pkey";
ALTER TABLE "logs" ADD CONSTRAINT "logs_initial_pkey" PRIMARY KEY USING INDEX "logs_initial_pkey";
ALTER INDEX "logs_account_id_created_at_id_idx" RENAME TO "logs_initial_account_id_created_at_id_idx";
ALTER INDEX "logs_trouble" RENAME TO "logs_initial_trouble";
ALTER TABLE "logs" RENAME TO "logs_initial";

CREATE TABLE "logs" (
    "id" INTEGER NOT NULL DEFAULT nextval('logs_id_seq'),
    "account_id" TEXT NOT NULL,
    "device_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "module" TEXT NOT NULL,
    "priority" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "context" JSONB,

    CONSTRAINT "logs_pkey" PRIMARY KEY ("id", "created_at")
) PARTITION BY RANGE ("created_at");

-- Relays change partitions, for which their role must own the tables. PostgreSQL also requires the owner of the sequence.
DO $$
BEGIN
  EXECUTE format('ALTER TABLE logs OWNER TO %I',
    (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'logs_initial'::regclass));
END $$;

-- The privileges of other roles, for example of one that may only read.
DO $$
DECLARE
  granted record;
BEGIN
  FOR granted IN
    SELECT pg_get_userbyid(grantee) AS role, grantee, privilege, is_grantable FROM (
      SELECT grantee, privilege_type AS privilege, is_grantable
      FROM pg_class, aclexplode(relacl) WHERE oid = 'logs_initial'::regclass
      UNION ALL
      SELECT grantee, format('%s (%I)', privilege_type, attname), is_grantable
      FROM pg_attribute, aclexplode(attacl) WHERE attrelid = 'logs_initial'::regclass
    ) AS privileges
  LOOP
    EXECUTE format('GRANT %s ON logs TO %s%s', granted.privilege,
      CASE granted.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(granted.role) END,
      CASE WHEN granted.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
  END LOOP;
END $$;

-- After 2 147 483 647 entries, the ids begin again at 1. They need to be unique only together with `created_at`.
ALTER SEQUENCE "logs_id_seq" OWNED BY "logs"."id" CYCLE;

CREATE INDEX "logs_account_id_created_at_id_idx" ON "logs"("account_id", "created_at", "id");

CREATE INDEX "logs_trouble" ON "logs" ("device_id", "created_at" DESC) WHERE "priority" IN ('WARN', 'ERROR');

ALTER TABLE "logs" ADD CONSTRAINT "logs_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Attaches the existing table. PostgreSQL uses its indexes, its foreign key and the constraint, and reads no rows.
DO $$
BEGIN
  EXECUTE (
    SELECT format('ALTER TABLE logs ATTACH PARTITION logs_initial FOR VALUES FROM (MINVALUE) TO (%s)',
      substring(pg_get_constraintdef(oid) FROM '''[^'']*'''))
    FROM pg_constraint WHERE conrelid = 'logs_initial'::regclass AND conname = 'logs_boundary');
END $$;

-- Receives entries of days that have no partition.
CREATE TABLE "logs_default" PARTITION OF "logs" DEFAULT;

DO $$
BEGIN
  EXECUTE format('ALTER TABLE logs_default OWNER TO %I',
    (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'logs_initial'::regclass));
END $$;

-- The trigger of `logs_initial` does not run for statements on `logs`.
CREATE TRIGGER tell_log_added AFTER INSERT ON logs
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_log_added();
