-- Deletes rewrite whole files; deletion vectors would make them cheap.
ALTER TABLE main.sales.orders
  SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
