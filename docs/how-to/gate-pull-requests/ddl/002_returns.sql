CREATE TABLE IF NOT EXISTS main.sales.returns (id BIGINT, order_id BIGINT)
USING delta
TBLPROPERTIES ('delta.appendOnly' = 'true');

-- The lab may do as it likes: see [[ignore]] in lake.toml.
CREATE TABLE main.lab.variants (id BIGINT, payload VARIANT) USING delta;
