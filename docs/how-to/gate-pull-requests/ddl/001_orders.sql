CREATE TABLE IF NOT EXISTS main.sales.orders (
  id BIGINT NOT NULL,
  day DATE,
  amount DECIMAL(12, 2)
) USING delta PARTITIONED BY (day);

ALTER TABLE main.sales.orders ADD COLUMNS (note STRING COMMENT 'free text');
