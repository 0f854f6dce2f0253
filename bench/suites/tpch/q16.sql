SELECT p_brand, p_type, p_size, count(DISTINCT ps_suppkey) AS supplier_cnt
FROM partsupp, part
WHERE p_partkey = ps_partkey
  AND p_brand <> {brand:String}
  AND p_type NOT LIKE concat({type:String}, '%')
  AND p_size IN (
    {size1:Int32}, {size2:Int32}, {size3:Int32}, {size4:Int32},
    {size5:Int32}, {size6:Int32}, {size7:Int32}, {size8:Int32}
  )
  AND ps_suppkey NOT IN (
    SELECT s_suppkey
    FROM supplier
    WHERE s_comment LIKE '%Customer%Complaints%'
  )
GROUP BY p_brand, p_type, p_size
ORDER BY supplier_cnt DESC, p_brand, p_type, p_size
