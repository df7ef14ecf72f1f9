-- Changes with every update of the row, even by a relay of an earlier release. The result of an attempt counts only for the
-- version that was read. The constant default rewrites no row.
ALTER TABLE "webhook_deliveries" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 0;

CREATE FUNCTION count_delivery_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;
CREATE TRIGGER count_delivery_version BEFORE UPDATE ON webhook_deliveries
  FOR EACH ROW EXECUTE FUNCTION count_delivery_version();
