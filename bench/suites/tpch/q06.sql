SELECT sum(l_extendedprice * l_discount) AS revenue
FROM lineitem
WHERE l_shipdate >= {date:Date}
  AND l_shipdate < {date:Date} + INTERVAL 1 YEAR
  AND l_discount BETWEEN {discount:Decimal(15, 2)} - toDecimal64('0.01', 2) AND {discount:Decimal(15, 2)} + toDecimal64('0.01', 2)
  AND l_quantity < {quantity:Int32}
