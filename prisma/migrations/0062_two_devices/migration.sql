-- If one device has sent almost all messages, the statistics contain no other device. A plan for any device then expects that each message
-- is from this device, and may use an index without the device. For another device, it would read all messages: more than 30 s with
-- 10 000 000 messages. If a plan expects half of the messages, it uses an index that begins with the device. With a greater number of
-- devices, it would expect few messages in small tables, and sort all of them.
ALTER TABLE messages ALTER device_id SET (n_distinct = 2);
-- The statistics of an empty table would tell the planner that the table stays empty: sessions would keep plans that read all messages.
DO $$ BEGIN
  IF EXISTS (SELECT FROM messages) THEN
    ANALYZE messages (device_id);
  END IF;
END $$;
